package import XMPPCore

/// Requests (IQ) that modules answer.
extension ModuleHost {
    /// A request that waits for a module's answer.
    struct Waiting {
        let iq: IQ
        let module: HostedModule
        let session: ModuleSession
    }

    package func received(request: IQ) -> IQAnswer {
        let module = modules.first { module in
            module.prepared.kind.namespaces.contains { sameBytes($0, request.payload?.namespace) }
        }
        guard let module, let session, mayHear(module, request.from?.bare) else { return .error(.serviceUnavailable) }
        lastRequest &+= 1
        waiting[lastRequest] = Waiting(iq: request, module: module, session: session)
        put(
            .event(.request(ModuleRequest(iq: request, contact: contact(request.from), number: lastRequest))),
            into: module)
        return .later
    }

    func answer(_ number: UInt64, _ answer: IQAnswer, of module: HostedModule) {
        guard let open = waiting[number], open.module === module else { return }
        // It says so itself, later.
        if case .later = answer { return }
        waiting[number] = nil
        switch answer {
        case .result(let payload): try? open.session.send([open.iq.result(payload)])
        case .error(let condition): try? open.session.send([StanzaError.reply(to: open.iq, condition: condition)])
        case .refused(let error, let detail): try? open.session.send([error.reply(to: open.iq, detail: detail)])
        case .later: break
        }
    }

    /// What a module has not done.
    func refuse(_ job: ModuleJob) {
        switch job {
        case .event(.request(let request)):
            guard let open = waiting[request.number] else { return }
            answer(request.number, .error(.serviceUnavailable), of: open.module)
        case .event: break
        case .call(let call): if let companion { call.dropped(companion) }
        }
    }
}
