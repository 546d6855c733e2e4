import DoorwardStore
import XMPPClient
import XMPPCore

/// A module's storage in the store of the service.
struct StoredModuleValues: ModuleStorageBackend {
    let store: Store
    let account: BareJID
    let module: String

    func value(of key: String) async throws(ModuleStorageError) -> [UInt8]? {
        do throws(StoreError) { return try await store.moduleValue(key, of: module, account) } catch {
            throw ModuleStorageError(.failed, error.description)
        }
    }

    func set(_ value: [UInt8], of key: String) async throws(ModuleStorageError) {
        let isWritten: Bool
        do throws(StoreError) {
            isWritten = try await store.setModuleValue(
                value, for: key, of: module, account, values: ModuleStorage.countLimit, bytes: ModuleStorage.sizeLimit)
        } catch {
            throw ModuleStorageError(.failed, error.description)
        }
        guard isWritten else { throw .isFull }
    }

    func remove(_ key: String) async throws(ModuleStorageError) {
        do throws(StoreError) { try await store.removeModuleValue(key, of: module, account) } catch {
            throw ModuleStorageError(.failed, error.description)
        }
    }

    func keys() async throws(ModuleStorageError) -> [String] {
        do throws(StoreError) { return try await store.moduleKeys(of: module, account) } catch {
            throw ModuleStorageError(.failed, error.description)
        }
    }
}
