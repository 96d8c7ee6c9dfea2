/// Numbers at the edges of what any reader has room for: whatever comes from outside may be one.
package enum Extremes {
  /// Integers of 64 bits.
  package static let integers: [Int64] = [
    .min, .min + 1, -(1 << 62) - 1, -(1 << 62), -(1 << 53), -(1 << 31) - 1, -1, 0, 1, 999,
    (1 << 31) - 1, 1 << 31, (1 << 32) + 1, (1 << 53) + 1, (1 << 62) - 1, 1 << 62, (1 << 62) + 1,
    .max - (1 << 34), .max - 1, .max,
  ]

  /// Numbers as texts: these integers, more digits than any integer has, fractions and exponents.
  package static let texts: [String] =
    integers.map(String.init) + [
      "-9223372036854775809", "9223372036854775808", "18446744073709551615",
      "18446744073709551616", "999999999999", "9999999999999", "9999999999999999999",
      "170141183460469231731687303715884105728", String(repeating: "9", count: 40),
      "-9223372036854775808.5", "9223372036854775807.999", "-9223372036854775.808",
      "9223372036854775.807", "4611686018427387.904", "-4611686018427387.904", "-0", "-0.5", "0.0",
      ".5", "5.", "5.0", "1E2", "1e308", "-1e400", "1e-400", "007", "+1", "0x7fffffffffffffff",
      "NaN", "Infinity", "1_000", "٣",
    ]
}
