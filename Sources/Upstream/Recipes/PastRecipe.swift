private import Bytes
internal import Feed

/// How what lies past a list's wall is asked for: as a list of its own of all that is not newer
/// than a key, by the same pages.
package struct PastRecipe: Hashable, Sendable {
  /// The parameter that says up to which key; where the list is asked with one of that name, it is
  /// added to its value after a space.
  package var at = ""
  /// How it is written, with `{}` for the key: `created:<={}`. All of that key comes.
  package var write: TextTemplate?
  /// How finely a key is taken.
  package var grain = Grain.key
  /// For whole days, where on Earth: hours east of Greenwich.
  package var zone = 0

  /// What lies past the wall by default.
  package init() {}

  /// How finely a key is taken.
  package enum Grain: String, CaseIterable, Sendable {
    /// As it is.
    case key
    /// By whole seconds.
    case second
    /// By whole days.
    case day
  }

  private static let daySeconds: Int64 = 86_400

  /// The same in keys of a unit.
  func grain(in unit: KeyUnit) -> KeyGrain {
    let second: Int64 = unit == .milliseconds ? 1_000 : 1
    return switch grain {
    case .key: KeyGrain(length: 1)
    case .second: KeyGrain(length: second)
    case .day:
      KeyGrain(
        length: PastRecipe.daySeconds * second, origin: Int64(-zone) * 3_600 * second)
    }
  }

  /// What is sent for all that is not newer than a key, of which `form` is how elements write it.
  func text(of key: Int64, in unit: KeyUnit, form: KeyForm) -> String {
    let second = unit == .milliseconds ? unit.second(of: key) ?? 0 : key
    let value =
      switch grain {
      case .key: form.text(of: key)
      case .second: RFC3339.text(seconds: second)
      case .day: String(RFC3339.text(seconds: second.clampedAdding(Int64(zone) * 3_600)).prefix(10))
      }
    return write?.filled(value: { _ in value }) ?? value
  }
}
