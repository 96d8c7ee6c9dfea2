extension Collection where Element == String {
  /// The word that was probably meant by another: the closest one, if it differs by no more than
  /// the writing of its parts, or by a few letters: one of five, and at least one. Nil for a word
  /// of more than 64 letters.
  package func closest(to word: String) -> String? {
    guard word.count <= 64 else { return nil }
    let bare = word.filter { $0.isLetter || $0.isNumber }.lowercased()
    let distances = map { known in
      (known, distance: bare == known.lowercased() ? 0 : Self.distance(from: word, to: known))
    }
    guard let best = distances.min(by: { $0.distance < $1.distance }),
      best.distance <= Swift.max(1, word.count / 5)
    else { return nil }
    return best.0
  }

  /// How many letters are to be put in, taken out, replaced or swapped with their neighbour to make
  /// one word of the other (optimal string alignment; Damerau 1964).
  private static func distance(from one: String, to other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        let replaced = rows[i][j] + (one[i] == other[j] ? 0 : 1)
        var least = Swift.min(replaced, rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          least = Swift.min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
