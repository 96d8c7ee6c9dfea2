import JSONBytes

@testable import Simulator

/// The second at which the calls of these tests are made: 2025-12-09T15:30:00+09:00.
let noon: Int64 = 1_765_261_800

extension Qiita {
  /// A small still world of items with short texts.
  static func still(_ itemCount: Int, ties: Double = 0, shuffles: Bool = false) -> Qiita {
    Qiita(
      World(
        WorldOptions(
          itemCount: itemCount, tieProbability: ties, bodyBytes: 100, shufflesTies: shuffles)))
  }

  /// Answers a call at `noon`.
  mutating func answer(_ target: String, token: String? = nil) -> Answer {
    answer(Call("/api/v2/\(target)", token: token), nowSeconds: noon)
  }

  /// The ids of the elements answered.
  mutating func ids(_ target: String) throws -> [String] {
    try answer(target).texts("id")
  }
}

extension Answer {
  /// The text that each element of the body has under a key.
  func texts(_ key: String) throws -> [String] {
    try JSON.elements(of: body).compactMap { range in
      try JSON.member(key, of: body[range]).map {
        String(decoding: try JSON.text(body[$0]), as: UTF8.self)
      }
    }
  }

  /// The elements of the body.
  func elements() throws -> [[UInt8]] {
    try JSON.elements(of: body).map { Array(body[$0]) }
  }

  var text: String {
    String(decoding: body, as: UTF8.self)
  }
}
