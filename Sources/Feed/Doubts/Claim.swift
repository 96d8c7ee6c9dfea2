extension Doubts {
  /// What an answer can claim, and when it is believed.
  package struct Claim: Sendable {
    /// What names it.
    package let name: String
    /// Answers in a row that must make it.
    package var answers = 2
    /// How long the last of them must have been sent after the first.
    package var apart = Duration.zero
    /// By how much they may differ from the first in what they say.
    var drift = 0
    /// The most of its kind, each of another subject; of more the first is forgotten.
    package var entriesMax = 1
    /// How long it is remembered, where nothing denies it.
    var memory = Duration.zero
    /// Whether it is stored, so that it outlives a restart and all servers know of it.
    var isStored = true
    /// How long what it is of is left alone then; nil where it is believed.
    package var rest: Rest?
  }
}

/// The one table of all that is doubted, with the reason of each number.
extension Doubts.Claim {
  /// Every kind of claim.
  static let all = [
    end, hidden, idleNext, rising, empty, hollow, disorder, inexact, growth, counted, late, barren,
    shown, repeated, unusable, flawed, clockLeap, clockLag, clockStill, lacking, refused, misfit,
    faulty, served, borne, least, gaps, opened, untold,
  ]

  /// The list ends at this rank, against what is known or what the answer itself says. Two, so that
  /// they are not of one moment's fault; the end may move as a list does meanwhile.
  static let end = Doubts.Claim(name: "end", apart: .seconds(1), drift: 2)
  /// The total counts so many elements that the list ends without. An end that is believed says so,
  /// which took two answers.
  static let hidden = Doubts.Claim(name: "hidden")
  /// A next page is named on which nothing is. An end that is believed says this, too.
  static let idleNext = Doubts.Claim(name: "idleNext")
  /// News come at the end of the list: a false alarm costs calls, until some come at the top.
  package static let rising = Doubts.Claim(name: "rising")
  /// Nothing is in a feed of which elements are known: a backend that loses its data for a moment
  /// answers so, and so may two.
  package static let empty = Doubts.Claim(name: "empty", answers: 3)
  /// Nothing is in a feed that has elements, as the same answer says: as for an end.
  package static let hollow = Doubts.Claim(name: "hollow", apart: .seconds(1))
  /// The feed does not come in the order of the field that is named. One may be so by a fault, two
  /// by elements that came late.
  package static let disorder = Doubts.Claim(name: "disorder", answers: 3)
  /// The total does not count the list: one may be cut short by a fault, two by the list's moving.
  /// A false alarm stops the list where keys are shared by more elements than a page has.
  package static let inexact = Doubts.Claim(
    name: "inexact", answers: 3, rest: Rest(min: .seconds(3_600), max: .seconds(86_400)))
  /// The total grows without late arrivals. A false alarm costs calls and hides nothing.
  package static let growth = Doubts.Claim(
    name: "growth", answers: 1, rest: Rest(min: .seconds(600), max: .seconds(86_400)))
  /// The list had so many elements at the last look at its top, with what was found in it since. By
  /// as many as it has grown more than the next look shows, some came late.
  package static let counted = Doubts.Claim(name: "counted")
  /// So many elements came late into this range, as the total says, and ranks once they are looked
  /// for. Each window parts a range in two at most.
  static let late = Doubts.Claim(name: "late", entriesMax: 16)
  /// Nothing new is further down: no list is to spend an hour's calls on showing nothing.
  package static let barren = Doubts.Claim(name: "barren", answers: 6, rest: .place)
  /// An answer has these elements, from this rank on. As many pages may follow one another in a
  /// circle; later the list itself may have moved so far.
  static let shown = Doubts.Claim(name: "shown", entriesMax: 8, memory: .seconds(45))
  /// The same elements come wherever a page begins: one may be a copy of another page.
  static let repeated = Doubts.Claim(name: "repeated")
  /// Elements that cannot be used stay so at this place: two may be broken on their way. What finds
  /// no room is believed.
  static let unusable = Doubts.Claim(name: "unusable", answers: 3, entriesMax: 64)
  /// How often such a place is asked for again in all: an ask may be dropped for a reader's.
  static let asksMax = 8
  /// How often after answers have agreed.
  static let looksMax = 2
  /// Elements that cannot be used stay so, at so many places in a row and wherever they are.
  static let flawed = Doubts.Claim(name: "flawed", answers: 8)
  /// The upstream's clock was set ahead, by so many seconds and no fewer than the drift: one may be
  /// of a server whose clock is wrong.
  static let clockLeap = Doubts.Claim(name: "clockLeap", drift: 300)
  /// The upstream's clock stands behind what it was: sixteen may be copies, or of one server.
  static let clockLag = Doubts.Claim(name: "clockLag", answers: 17)
  /// The upstream's clock stands still at this second, while newer elements are shown.
  static let clockStill = Doubts.Claim(name: "clockStill", apart: .seconds(3))
  /// An item that lacks may be gone: one of them is asked for by itself an hour.
  package static let lacking = Doubts.Claim(
    name: "lacking", answers: 1, rest: Rest(min: .seconds(3_600), max: .seconds(3_600)))
  /// The upstream does not know this mark of a place: others are named, so many of them in a row.
  package static let refused = Doubts.Claim(name: "refused", entriesMax: 16)
  /// Its recipe does not fit, by a ``RecipeSign``: the first of each is reported as the first.
  package static let misfit = Doubts.Claim(
    name: "misfit", entriesMax: RecipeSign.allCases.count, isStored: false)
  /// An element has an ``ElementFault``: the first of each is reported as the first.
  package static let faulty = Doubts.Claim(
    name: "faulty", entriesMax: ElementFault.allCases.count, isStored: false)

  /// Pages have so many elements, whatever is asked for: two answers showed it, see ``PageSize``.
  package static let served = Doubts.Claim(name: "served")
  /// A page comes whole that has so many elements, and larger ones were too large twice.
  package static let borne = Doubts.Claim(name: "borne")
  /// Pages of fewer elements come in another size or are refused: two answers showed it.
  package static let least = Doubts.Claim(name: "least")

  /// The feed is proven in so many runs, and why is said by the two below it.
  static let gaps = Doubts.Claim(name: "gaps")
  /// A range was proven once.
  static let opened = Doubts.Claim(name: "opened", entriesMax: 16)
  /// What stood on top before more came above it than a look shows begins here.
  static let untold = Doubts.Claim(name: "untold")

  /// This claim for a feed of `count` elements, whose answers must be so far apart: two answers are
  /// enough for 20 elements or fewer.
  package func of(count: Int, apart: Duration) -> Doubts.Claim {
    var claim = self
    claim.apart = apart
    if count <= 20 { claim.answers = 2 }
    return claim
  }
}
