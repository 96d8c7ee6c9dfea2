import Testing

@testable import Feed

/// How old answers are by their `Date` and `Age`.
@Suite struct UpstreamClockTests {
  private static let start: Int64 = 1_000_000

  /// An answer: sent and received at these seconds, its `Date` and `Age`, and when it was made.
  struct Answer {
    var newest: Int64?
    var sent: Int64
    var received: Int64
    var date: Int64?
    var age: Int64?
    var made: Int64
    var clock: Int64?
  }

  private static func answer(
    _ sent: Int64, _ received: Int64? = nil, date: Int64?, age: Int64? = nil, newest: Int64? = nil,
    made: Int64, isTrusted: Bool = true
  ) -> Answer {
    let date = date.map { start + $0 }
    return Answer(
      newest: newest.map { start + $0 },
      sent: start + sent, received: start + (received ?? sent), date: date, age: age,
      made: start + made, clock: isTrusted ? date : nil)
  }

  static let schedules: [[Answer]] = [
    // A clock that is right, or off by a day, and an answer long on its way.
    [
      answer(0, date: 0, made: 0), answer(10, date: 10, made: 10),
      answer(20, 50, date: 21, made: 20),
    ],
    [answer(0, date: 86_400, made: 0), answer(10, date: 86_410, made: 10)],
    // Out of a cache that tells its age, and out of one that does not.
    [answer(0, date: 0, made: 0), answer(30, date: 0, age: 30, made: 0)],
    [
      answer(0, date: 0, made: 0), answer(30, date: 30, made: 30), answer(31, date: 5, made: 5),
      answer(32, date: 32, made: 32),
    ],
    // Two servers by turns, one 30 s behind.
    [
      answer(0, date: -30, made: 0), answer(1, date: 1, made: 1), answer(2, date: -28, made: -28),
      answer(3, date: 3, made: 3), answer(4, date: -26, made: -26),
    ],
    // Our clock steps ahead by a minute: nothing is older for that.
    [answer(0, date: 0, made: 0), answer(61, date: 1, made: 61), answer(62, date: 2, made: 62)],
    // The upstream's is set back by two hours: it begins anew.
    [
      answer(0, date: 0, made: 0), answer(10, date: -7_190, made: 10),
      answer(20, date: -7_180, made: 20),
    ],
    // The same again: a copy of what was made then, for as long as copies are kept.
    [
      answer(0, date: 5, made: 0), answer(10, date: 5, made: 1), answer(3_000, date: 5, made: 1),
      answer(3_601, date: 5, made: 3_601, isTrusted: false),
      answer(3_700, date: 3_700, made: 3_700),
    ],
    // It stands still: what is shown is newer than the `Date`.
    [
      answer(0, date: 5, newest: 1, made: 0), answer(10, date: 5, newest: 5, made: 1),
      answer(20, date: 5, newest: 6, made: 20, isTrusted: false),
    ],
    // It is before what is shown by more than writing takes.
    [
      answer(0, date: 5, newest: 65, made: 0),
      answer(1, date: 6, newest: 67, made: 1, isTrusted: false),
    ],
    // One answer's leaps ahead: none. Two say the same: they are right.
    [
      answer(0, date: 0, made: 0), answer(10, date: 4_000, made: 10, isTrusted: false),
      answer(20, date: 20, made: 20), answer(30, date: 9_000, made: 30, isTrusted: false),
      answer(40, date: 9_010, made: 40), answer(50, date: 9_020, made: 50),
    ],
    // One answer was half an hour ahead: after sixteen it is not believed any more.
    [answer(0, date: 1_800, made: 0)]
      + (1...16).map { answer(Int64($0), date: Int64($0), made: Int64($0) - 1_800) }
      + [answer(17, date: 17, made: 17)],
    [answer(0, date: nil, made: 0), answer(10, date: nil, age: 4, made: 6)],
  ]

  @Test(arguments: schedules.indices)
  func anAnswerIsAsOldAsItSays(_ index: Int) {
    var clock = UpstreamClock()
    for answer in Self.schedules[index] {
      let reading = clock.read(
        date: answer.date, age: answer.age, newest: answer.newest,
        sentAt: Timestamp(seconds: answer.sent),
        receivedAt: Timestamp(seconds: answer.received))
      #expect(reading.madeAt == Timestamp(seconds: answer.made))
      #expect(reading.clock == answer.clock)
    }
  }

  /// What another server was answered counts here: one that has asked nothing yet knows a lag.
  @Test func whatOthersWereToldIsTaken() {
    let latest = { (date: Int64) in UpstreamDate(date: date, madeAt: Timestamp(seconds: date)) }
    var clock = UpstreamClock()
    clock.adopt(latest(100))
    clock.adopt(latest(90))
    clock.adopt(nil)
    #expect(clock.latest == latest(100))
    let now = Timestamp(seconds: 101)
    #expect(
      clock.read(date: 40, age: nil, sentAt: now, receivedAt: now).madeAt
        == Timestamp(seconds: 40))
    #expect(clock.latest == latest(100))
  }

  @Test(
    arguments: [
      // Nobody knew; somebody knew less, or more; one began anew, from what was told.
      (nil, nil, Int64(5), Int64(5)), (4, 3, 5, 5), (9, 4, 5, 9), (9, 9, 5, 5),
    ] as [(Int64?, Int64?, Int64, Int64)])
  func theLaterDateIsTold(shared: Int64?, before: Int64?, after: Int64, told: Int64) {
    let latest = { (date: Int64) in UpstreamDate(date: date, madeAt: Timestamp(seconds: date)) }
    let end = latest(after).told(over: shared.map(latest), movedFrom: before.map(latest))
    #expect(end == latest(told))
  }

  @Test(arguments: [Int64.min, -1, .max])
  func noNumberOverflows(_ number: Int64) {
    var clock = UpstreamClock()
    for receivedAt in [Int64(0), 1_000_000, 4_000_000_000] {
      let at = Timestamp(seconds: receivedAt)
      for date in [number, 1_000_000, nil] {
        let reading = clock.read(date: date, age: number, sentAt: at, receivedAt: at)
        #expect(reading.madeAt <= at)
      }
    }
  }

  @Test func withoutADateTheNewestElementTellsTheTime() {
    var clock = UpstreamClock()
    let at = { (seconds: Int64) in Timestamp(seconds: Self.start + seconds) }
    #expect(clock.least(shown: nil, sentAt: at(0), receivedAt: at(0)) == nil)
    #expect(clock.least(shown: 500, sentAt: at(0), receivedAt: at(1)) == 500)
    #expect(clock.least(shown: 500, sentAt: at(11), receivedAt: at(12)) == 510)
    #expect(clock.least(shown: 600, sentAt: at(21), receivedAt: at(22)) == 600)
    #expect(clock.least(shown: nil, sentAt: at(32), receivedAt: at(33)) == 610)
  }
}
