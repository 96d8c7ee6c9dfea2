/// The deadlines of a loop's connections: one each, in milliseconds of a clock that only goes on.
///
/// A wheel of buckets, each a list linked through the slots. Moving a deadline later costs two
/// stores: the connection stays where it is, and finds its new place when its bucket comes up.
struct DeadlineWheel {
  /// What a connection holds for the wheel.
  struct Links {
    static let none = UInt32.max
    static let never = Int64.max

    var deadline = never
    /// The tick whose bucket holds the connection; `never` when none does.
    var tick = never
    var next = none
    var previous = none
  }

  static let tickMilliseconds: Int64 = 16
  private static let bucketCount: Int64 = 1024

  private var buckets = [UInt32](repeating: Links.none, count: Int(bucketCount))
  private var lastTick: Int64
  /// No bucket before this tick's holds anything.
  private var earliestTick = Links.never

  init(now: Int64) {
    lastTick = now / Self.tickMilliseconds
  }

  /// Milliseconds until `expired` should be asked again; nil when there is no deadline.
  func milliseconds(from now: Int64) -> Int64? {
    guard earliestTick != Links.never else { return nil }
    return max(0, earliestTick * Self.tickMilliseconds - now)
  }

  /// Sets, moves or (with `never`) lifts the deadline of a slot.
  mutating func set(_ deadline: Int64, slot: UInt32, in table: borrowing ConnectionTable) {
    let connection = table.pointer(slot)
    connection.pointee.links.deadline = deadline
    guard deadline != Links.never else { return }
    let tick = max(lastTick, deadline / Self.tickMilliseconds) + 1
    guard tick < connection.pointee.links.tick else { return }
    unlink(slot, in: table)
    link(slot, tick, in: table)
  }

  /// Takes a slot off the wheel.
  mutating func unlink(_ slot: UInt32, in table: borrowing ConnectionTable) {
    let links = table.pointer(slot).pointee.links
    guard links.tick != Links.never else { return }
    if links.next != Links.none {
      table.pointer(links.next).pointee.links.previous = links.previous
    }
    if links.previous != Links.none {
      table.pointer(links.previous).pointee.links.next = links.next
    } else {
      buckets[Self.bucket(links.tick)] = links.next
    }
    table.pointer(slot).pointee.links = Links(deadline: links.deadline)
  }

  private mutating func link(_ slot: UInt32, _ tick: Int64, in table: borrowing ConnectionTable) {
    let connection = table.pointer(slot)
    let head = buckets[Self.bucket(tick)]
    connection.pointee.links.tick = tick
    connection.pointee.links.next = head
    connection.pointee.links.previous = Links.none
    if head != Links.none { table.pointer(head).pointee.links.previous = slot }
    buckets[Self.bucket(tick)] = slot
    earliestTick = min(earliestTick, tick)
  }

  private static func bucket(_ tick: Int64) -> Int { Int(tick % bucketCount) }

  /// Takes the slots off the wheel whose deadlines have passed.
  mutating func expired(now: Int64, in table: borrowing ConnectionTable) -> [UInt32] {
    let tick = now / Self.tickMilliseconds
    guard tick >= earliestTick else {
      lastTick = max(lastTick, tick)
      return []
    }
    var expired: [UInt32] = []
    let first = max(earliestTick, tick - Self.bucketCount + 1)
    lastTick = tick
    for passed in first...tick {
      sweep(Self.bucket(passed), now, in: table, &expired)
    }
    earliestTick =
      (1...Self.bucketCount).first { buckets[Self.bucket(tick + $0)] != Links.none }
      .map { tick + $0 } ?? Links.never
    return expired
  }

  private mutating func sweep(
    _ bucket: Int, _ now: Int64, in table: borrowing ConnectionTable, _ expired: inout [UInt32]
  ) {
    var slot = buckets[bucket]
    while slot != Links.none {
      let links = table.pointer(slot).pointee.links
      if links.deadline <= now {
        unlink(slot, in: table)
        expired.append(slot)
      } else if links.tick <= lastTick {
        unlink(slot, in: table)
        if links.deadline != Links.never {
          link(slot, links.deadline / Self.tickMilliseconds + 1, in: table)
        }
      }
      slot = links.next
    }
  }
}
