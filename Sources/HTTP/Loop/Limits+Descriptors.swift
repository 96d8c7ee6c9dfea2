extension Limits {
  /// Descriptors that connections leave to the rest of the process: store, upstream calls, loops,
  /// and large bodies.
  private static let reservedDescriptors = 64 + BodyFile.countMax

  /// The same at the least: a server of two loops has 40 open before the first client comes.
  private static let reservedDescriptorsMin = 48

  /// How many descriptors a process needs for these limits.
  package var descriptors: Int { connections + spareConnections + Limits.reservedDescriptors }

  /// Lowers the number of connections to what so many descriptors suffice for, so that a flood of
  /// clients never takes those that the store and the upstream need.
  ///
  /// Of 256 a quarter stays for the process, an eighth is for clients that are sent 503,
  /// and 160 are for connections; of 20,000 there is room for 10,000 and all else.
  package mutating func fit(descriptors: Int) {
    guard descriptors < self.descriptors else { return }
    areShort = true
    spareConnections = min(spareConnections, descriptors / 8)
    let reserved = min(
      Limits.reservedDescriptors, max(Limits.reservedDescriptorsMin, descriptors / 4))
    connections = max(1, min(connections, descriptors - spareConnections - reserved))
  }
}
