import DoorwardStore
import XMPPClient
import XMPPCore

/// Notes of events in flight in the file beside the store.
struct StoredEventNotes: EventNotes {
    let file: EventNoteFile

    func begin(account: BareJID, module: String, event: String) -> Int? {
        file.begin(EventNote(account: account.description, module: module, event: event))
    }

    func end(_ note: Int?) {
        if let note { file.end(note) }
    }
}
