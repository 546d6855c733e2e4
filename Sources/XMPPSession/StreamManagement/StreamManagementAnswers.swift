import XMPPCore

// What a server answers during a login. What is not as XEP-0198 section 5 has it is no answer (nil).

extension StreamManagementStart {
    /// Reads `<enabled/>`; the id counts only where the stream can be resumed.
    init?(_ element: Element) {
        guard element.matches("enabled", Namespace.streamManagement) else { return nil }
        let resumes = ["true", "1"].contains { element[attribute: "resume"]?.utf8.elementsEqual($0.utf8) == true }
        let id = element[attribute: "id"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            id: resumes ? id : nil, location: element[attribute: "location"],
            maximum: element[attribute: "max"].flatMap { StreamManagement.count($0) }.map(Int.init))
    }
}

extension FailedResumption {
    /// Reads `<failed/>`.
    init?(_ element: Element) {
        guard element.matches("failed", Namespace.streamManagement) else { return nil }
        self.init(handled: element[attribute: "h"].flatMap { StreamManagement.count($0) })
    }
}

extension ResumptionRequest {
    /// Reads `<resumed/>`.
    ///
    /// - Returns: The stanzas of ours that the server has handled; nil where it is no answer to this request.
    func handled(in element: Element) -> UInt32? {
        guard element.matches("resumed", Namespace.streamManagement),
            element[attribute: "previd"]?.utf8.elementsEqual(id.utf8) == true
        else { return nil }
        return element[attribute: "h"].flatMap { StreamManagement.count($0) }
    }
}
