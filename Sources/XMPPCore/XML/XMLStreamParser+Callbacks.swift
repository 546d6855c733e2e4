import CLibXML2

// What libxml2 calls while it is in `xmlParseChunk`.
extension XMLStreamParser {
    func started(_ tag: StartTag) {
        guard !isFinished else { return }
        context?.flushText()
        depth += 1
        // It is of the first tag that ends behind the surplus.
        let isTagCut = self.isTagCut && !isRenewing
        if isTagCut { self.isTagCut = false }
        guard let context else { return }
        comparisons += context.comparisons(attributes: tag.attributes.count / 5, tag.declarations.count / 2)
        if context.pointer.pointee.nsWellFormed == 0 {
            // RFC 6120 section 11.3; `bad-namespace-prefix` is for a prefix that is well-formed and not wanted.
            guard namespaceFault == .notURI || isTagCut else { return fail(.notWellFormed) }
            namespaceFault = nil
            context.pointer.pointee.nsWellFormed = 1
            context.pointer.pointee.errNo = 0
            return refuse(isTagCut ? .policyViolation : .badFormat, tag)
        }
        guard skipped == nil else { return }
        guard !isTagCut, tag.attributeCount <= limits.attributes, depth - 1 <= limits.depth else {
            return refuse(.policyViolation, tag)
        }
        let element = tag.element(&context.names)
        guard element.name.utf8.count <= limits.nameBytes,
            element.attributes.allSatisfy({ $0.name.utf8.count <= limits.nameBytes }),
            !tag.hasPrefix(over: limits.nameBytes)
        else { return refuse(.policyViolation, tag) }
        if depth > 1 {
            if depth == 2 {
                isResult =
                    element.matches("iq", Namespace.client) && sameBytes(element[attribute: "type"] ?? "", "result")
            }
            context.open.append(element)
        } else if !isRenewing {
            shelf = pool.shelf(behind: tag)
            // The callback comes before libxml2 has taken the `>`.
            stanzaStart = position + 1
            lastEnd = stanzaStart
            events.append(.opened(element))
        }
    }

    func ended() {
        guard !isFinished else { return }
        context?.flushText()
        depth -= 1
        switch depth {
        case 0:
            isFinished = true
            events.append(.closed)
            xmlStopParser(context?.pointer)
        case 1:
            finishStanza()
        case _:
            if skipped == nil { context?.closeElement() }
        }
    }

    private func finishStanza() {
        let end = position
        if end - stanzaStart > sizeLimit { refuseWhole() }
        guard !isFinished else { return }
        stanzaStart = end
        lastEnd = end
        if skipped != nil {
            noteDiscarded()
        } else if let element = context?.open.first {
            // One read often has several.
            if events.isEmpty { events.reserveCapacity(4) }
            events.append(.element(element))
        }
        forgetStanza()
        nameTableSize = context?.nameCount ?? 0
        if context?.hasGrown == true {
            renewAt = end
            xmlStopParser(context?.pointer)
        }
    }

    /// Refuses a stanza at its end: its size is known only now.
    private func refuseWhole() {
        guard limits.discardedBytes > 0 else { return fail(.policyViolation) }
        if skipped == nil { skipped = context?.open.first }
        skipped?.children = []
        if check.weight > limits.discardedBytes { fail(.policyViolation) }
    }

    func found(text bytes: UnsafeBufferPointer<UInt8>) {
        guard !isFinished else { return }
        guard depth > 1 else {
            // White space between stanzas keeps a connection alive; anything else does not belong there.
            if bytes.allSatisfy(isXMLSpace) { stanzaStart += bytes.count } else { fail(.badFormat) }
            return
        }
        if skipped == nil { context?.text += bytes }
    }

    func foundRestrictedXML() {
        fail(.restrictedXML)
    }

    func found(error: xmlError) {
        guard UInt32(bitPattern: error.domain) == XML_FROM_NAMESPACE.rawValue else { return }
        switch UInt32(bitPattern: error.code) {
        case XML_WAR_NS_URI.rawValue: if namespaceFault == nil { namespaceFault = .notURI }
        case XML_WAR_NS_URI_RELATIVE.rawValue: break
        case _: namespaceFault = .notWellFormed
        }
    }
}
