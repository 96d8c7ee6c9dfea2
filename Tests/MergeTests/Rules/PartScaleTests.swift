import Feed
import Support
import Testing

@testable import Merge

/// How elements of several realms stand beside each other in one instant.
@Suite struct PartScaleTests {
  private static let scales = ["a", "b", "c"].map { PartScale(realm: $0, unit: .milliseconds) }

  /// An identity of few letters, among them those that a merged tie is put together by.
  private static func identity(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      [0, 1, 97, 254, 255][Int.random(in: 0..<5, using: &random)]
    }
  }

  /// Two are compared as their merged places are, without making these.
  @Test func tiesAreComparedAsPlacesAre() {
    var random = SeededGenerator(seed: 50)
    for _ in 0..<5_000 {
      let ties = [Self.identity(&random), Self.identity(&random)]
      let scales = [Self.scales.randomElement(using: &random), Self.scales[0]].compactMap(\.self)
      let places = zip(scales, ties).map { $0.position(Position(order: 7, tie: $1)) }
      #expect(
        scales[0].isTie(ties[0], above: ties[1], in: scales[1]) == (places[0] > places[1]),
        "\(ties)")
    }
  }

  /// Nothing of one realm stands at the place of another's.
  @Test func twoRealmsShareNoPlace() {
    let places = Self.scales.map { $0.position(Position(order: 7, tie: [97])) }
    #expect(Set(places).count == 3)
  }
}
