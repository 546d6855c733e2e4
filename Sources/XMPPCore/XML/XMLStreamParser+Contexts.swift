import CLibXML2

// What is not plain, and the contexts that read it.
extension XMLStreamParser {
    func read(_ bytes: ArraySlice<UInt8>) {
        let before = fed
        fed += bytes.count
        bytes.withUnsafeBytes { buffer in
            var begin = 0
            if context == nil {
                begin = skipSpace(buffer)
                guard begin < buffer.count else { return }
                takeContext(at: before + begin)
            }
            let end = max(begin, buffer.endBehindTag)
            while begin < end, !isFinished {
                renewAt = nil
                parse(UnsafeRawBufferPointer(rebasing: buffer[begin..<end]))
                guard !isFinished, let position = renewAt else { break }
                // Each turn ends behind a further stanza, so this ends.
                begin = min(max(begin + 1, position - before), end)
                renew(at: before + begin)
            }
            guard end < buffer.count, !isFinished else { return }
            if depth == 1, context?.isAtRest == true {
                stanzaStart += buffer.count - end
            } else {
                parse(UnsafeRawBufferPointer(rebasing: buffer[end...]))
            }
        }
        putContext()
    }

    /// White space between stanzas needs no context: it would wait there for the next stanza.
    private func skipSpace(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard depth == 1 else { return 0 }
        let count = bytes.firstIndex { !isXMLSpace($0) } ?? bytes.count
        stanzaStart += count
        return count
    }

    private func takeContext(at position: Int) {
        if depth == 0 {
            context = XMLContext()
            contextStart = position
        } else if let known = shelf?.take() {
            context = known
            contextStart = position - known.consumed
        } else {
            renewAt = nil
            read(headerAgainAt: position)
        }
        if context == nil { fail(.resourceConstraint) }
    }

    /// Between two stanzas the context is the pool's.
    private func putContext() {
        guard let context else { return }
        if isFinished {
            self.context = nil
        } else if depth == 1, context.isAtRest {
            // White space may have been written as references, which are longer than it is.
            stanzaStart = fed
            shelf?.put(context)
            self.context = nil
        } else if depth == 1, context.isInContent {
            // It waits for the end of a text, which between stanzas is decided by its first byte.
            switch context.unread.first(where: { !isXMLSpace($0) }) {
            case nil:
                stanzaStart = fed
                self.context = nil
            case UInt8(ascii: "<"), UInt8(ascii: "&"): break
            case _: fail(.badFormat)
            }
        }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) {
        guard let context = context?.pointer else { return }
        context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
        let code = xmlParseChunk(
            context,
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(clamping: bytes.count),
            0
        )
        guard !isFinished, renewAt == nil, code != 0 else { return }
        switch UInt32(bitPattern: code) {
        case XML_ERR_UNDECLARED_ENTITY.rawValue, XML_WAR_UNDECLARED_ENTITY.rawValue: fail(.restrictedXML)
        case _: fail(.notWellFormed)
        }
    }

    /// Replaces the context by one that has read the stream header only.
    private func renew(at position: Int) {
        renewAt = nil
        renewedContexts += 1
        read(headerAgainAt: position)
        if context == nil { fail(.resourceConstraint) }
    }

    private func read(headerAgainAt position: Int) {
        let header = shelf?.header ?? []
        context = XMLContext()
        depth = 0
        contextStart = position - header.count
        isRenewing = true
        header.withUnsafeBytes(parse)
        isRenewing = false
        if depth != 1, !isFinished { fail(.resourceConstraint) }
    }
}
