/// Why a server could not start.
package enum ServerError: Error, Equatable {
  /// The host is no address of this machine's kind, or no name that resolves.
  case hostUnknown(String)
  /// A system call failed in a way that neither waiting nor trying again mends.
  case systemCall(name: String, errno: Int32)
  /// `start()` was called on a server that had been started before.
  case alreadyStarted
}
