/// The options of a server.
package struct ServerOptions: Sendable {
  /// Where to listen; port 0 lets the system choose.
  package var address: Address
  /// How many event loops, each on a thread of its own; 1 or more.
  package var loops: Int
  /// The bounds on what peers can make grow.
  package var limits: Limits
  /// Renders the errors the server itself answers with, given the field lines of the request where
  /// its head was whole; called on the loops' threads.
  package var errorResponse: @Sendable (Refusal, Fields) -> Response
  /// Called once, on a loop's thread, when a connection was cut since ``Limits/heldBytes`` were
  /// held.
  package var noteShortage: @Sendable () -> Void = {}

  /// Makes a configuration; by default errors are one line of plain text.
  package init(
    address: Address = Address(host: "127.0.0.1", port: 0), loops: Int = 1,
    limits: Limits = Limits(),
    errorResponse: @escaping @Sendable (Refusal, Fields) -> Response = { refusal, _ in
      Response(status: refusal.status, text: refusal.detail + "\n")
    }
  ) {
    precondition(loops >= 1, "a server has at least one loop")
    self.address = address
    self.loops = loops
    self.limits = limits
    self.errorResponse = errorResponse
  }
}
