/// A loop's connections, in slots whose memory never moves.
struct ConnectionTable: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<Connection>

  private static let slabSlots = 1024
  private var slabs: [Pointer] = []
  private var free: [UInt32] = []
  /// The number of connections in the table.
  private(set) var count = 0

  /// Every slot there is, used or not.
  var slots: Range<UInt32> { 0..<UInt32(slabs.count * Self.slabSlots) }

  /// The memory of a slot.
  func pointer(_ slot: UInt32) -> Pointer {
    slabs[Int(slot) / Self.slabSlots] + Int(slot) % Self.slabSlots
  }

  /// The connection a ticket was made for; nil when that one has gone.
  func connection(_ ticket: Ticket) -> Pointer? {
    guard slots.contains(ticket.slot) else { return nil }
    let connection = pointer(ticket.slot)
    return connection.pointee.generation == ticket.generation ? connection : nil
  }

  /// Gives a new connection a slot.
  mutating func insert(descriptor: Int32, peer: Peer) -> Ticket {
    if free.isEmpty { grow() }
    let slot = free.removeLast()
    let connection = pointer(slot)
    connection.pointee.descriptor = descriptor
    connection.pointee.peer = peer
    connection.pointee.phase = .reading
    count += 1
    return Ticket(slot: slot, generation: connection.pointee.generation)
  }

  /// Frees a slot, and makes every ticket for it worthless.
  mutating func remove(_ slot: UInt32) {
    let connection = pointer(slot)
    let generation = connection.pointee.generation &+ 1
    connection.pointee = Connection()
    connection.pointee.generation = generation
    free.append(slot)
    count -= 1
  }

  private mutating func grow() {
    let first = slots.upperBound
    let slab = Pointer.allocate(capacity: Self.slabSlots)
    slab.initialize(repeating: Connection(), count: Self.slabSlots)
    slabs.append(slab)
    free.append(contentsOf: (first..<slots.upperBound).reversed())
  }

  deinit {
    for slab in slabs {
      slab.deinitialize(count: Self.slabSlots)
      slab.deallocate()
    }
  }
}
