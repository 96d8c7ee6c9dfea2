import Foundation
import Testing

@testable import Wire

/// The table of shapes, and the envelopes that clients decode.
@Suite struct ShapeTests {
  /// JSON of a shape: every member there, or only those that every reply has; what may be null is
  /// null, or is not.
  private func sample(of shape: Shape, isFull: Bool) -> String {
    let members = shape.members.filter { isFull || $0.isRequired }
    return
      "{\(members.map { "\"\($0.name)\":\(sample(of: $0.value, isFull))" }.joined(separator: ","))}"
  }

  private func sample(of value: Shape.Value, _ isFull: Bool) -> String {
    switch value {
    case .text, .identity: "\"a\""
    case .time: "\"2024-05-01T00:00:00Z\""
    case .flag: "true"
    case .count: "7"
    case .oneOf(let names): "\"\(names[0])\""
    case .item: "{}"
    case .object(let name): Shape.named(name).map { sample(of: $0, isFull: isFull) } ?? "?"
    case .list(let value): isFull ? "[\(sample(of: value, isFull))]" : "[]"
    case .map(let value): "{\"a\":\(sample(of: value, isFull))}"
    case .orNull(let value): isFull ? sample(of: value, isFull) : "null"
    }
  }

  static let envelopes: [(String, any (Decodable & Sendable).Type)] = [
    ("Total", TotalEnvelope.self), ("Freshness", FreshnessEnvelope.self),
    ("Status", StatusEnvelope.self), ("PartStatus", PartStatusEnvelope.self),
    ("Run", RunEnvelope.self),
    ("RunProof", ProofEnvelope.self), ("Policy", PolicyEnvelope.self),
    ("OpenGap", OpenGapEnvelope.self), ("Budget", BudgetEnvelope.self),
    ("Flight", FlightEnvelope.self), ("Filling", FillEnvelope.self),
    ("Problem", ProblemDetails.self),
  ]

  @Test(arguments: envelopes.map(\.0))
  func anEnvelopeHasTheMembersOfItsShape(name: String) throws {
    let shape = try #require(Shape.named(name))
    let envelope = try #require(Self.envelopes.first { $0.0 == name }).1
    for isFull in [false, true] {
      let json = sample(of: shape, isFull: isFull)
      let value = try JSONDecoder().decode(envelope, from: Data(json.utf8))
      let members = Mirror(reflecting: value).children
      #expect(Set(members.compactMap(\.label)) == Set(shape.members.map(\.name)))
      for member in members where isFull {
        let child = Mirror(reflecting: member.value)
        let isNil = child.displayStyle == .optional && child.children.isEmpty
        #expect(!isNil, "\(name).\(member.label ?? "") is not read")
      }
    }
  }

  @Test func everyShapeHasANameOfItsOwnAndReferencesLeadToShapes() {
    #expect(Set(Shape.all.map(\.name)).count == Shape.all.count)
    func names(in value: Shape.Value) -> [String] {
      switch value {
      case .object(let name): [name]
      case .list(let value), .map(let value), .orNull(let value): names(in: value)
      default: []
      }
    }
    for shape in Shape.all {
      #expect(Set(shape.members.map(\.name)).count == shape.members.count, "\(shape.name)")
      for name in shape.members.flatMap({ names(in: $0.value) }) {
        #expect(Shape.named(name) != nil, "\(shape.name): \(name)")
      }
    }
  }
}
