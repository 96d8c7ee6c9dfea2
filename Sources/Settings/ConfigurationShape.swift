import JSONBytes

/// What a key's value must look like: read, checked, and written again.
struct ConfigurationShape<Value: Sendable>: Sendable {
  /// Completes "must be …".
  let expectation: String
  /// How an environment variable is taken for this value; nil when only the file can say it.
  let variable: ConfigurationVariableForm?
  /// Whether a `${VARIABLE}` without a value makes the whole value null instead of a problem.
  var allowsUnsetVariable = false
  /// The value meant, or nil after at least one problem was added.
  let read: @Sendable (JSONTree, String, inout [Configuration.Problem]) -> Value?
  let write: @Sendable (Value) -> JSONTree
}

/// How an environment variable's characters are understood.
enum ConfigurationVariableForm {
  /// As they are.
  case text
  /// As JSON: a number.
  case json
  /// As texts with commas between them.
  case list
}

extension ConfigurationShape {
  /// A shape of one piece: `parse` gives nil for what it does not take.
  init(
    _ expectation: String, _ variable: ConfigurationVariableForm?,
    parse: @escaping @Sendable (JSONTree) -> Value?,
    write: @escaping @Sendable (Value) -> JSONTree
  ) {
    self.expectation = expectation
    self.variable = variable
    self.read = { value, place, problems in
      guard let read = parse(value) else {
        problems.append(.init(place: place, message: "must be \(expectation)"))
        return nil
      }
      return read
    }
    self.write = write
  }

  /// A text that `parse` takes; it may give it back in a plainer form.
  static func text(
    _ expectation: String, parse: @escaping @Sendable (String) -> Value?,
    write: @escaping @Sendable (Value) -> String
  ) -> Self {
    .init(
      expectation, .text,
      parse: { value in
        guard case .text(let text) = value else { return nil }
        return parse(text)
      },
      write: { .text(write($0)) })
  }

  /// A whole number, written without fraction and exponent.
  static func whole(_ range: ClosedRange<Value>) -> Self where Value: FixedWidthInteger {
    .init(
      "a whole number from \(range.lowerBound) to \(range.upperBound)", .json,
      parse: { value in
        guard case .number(let characters) = value,
          // Not a whole number is one answer for all that is wrong with it.
          let number = try? JSON.wholeNumber(Array(characters.utf8)[...]),
          let narrowed = Value(exactly: number), range.contains(narrowed)
        else { return nil }
        return narrowed
      },
      write: { .number(String($0)) })
  }

  /// The value or null.
  static func optional<Wrapped>(_ shape: ConfigurationShape<Wrapped>) -> Self
  where Value == Wrapped? {
    .init(
      expectation: "\(shape.expectation), or null", variable: shape.variable,
      read: { value, place, problems in
        if value == .null { return .some(nil) }
        return shape.read(value, place, &problems)
      },
      write: { $0.map(shape.write) ?? .null })
  }

  /// Up to `countMax` values of a shape, each checked under its own place: `server.apiKeys[1]`.
  static func list<Element>(of shape: ConfigurationShape<Element>, countMax: Int) -> Self
  where Value == [Element] {
    let expectation = "an array of at most \(countMax)"
    return .init(
      expectation: expectation, variable: shape.variable == .text ? .list : nil,
      read: { value, place, problems in
        guard case .array(let elements) = value, elements.count <= countMax else {
          problems.append(.init(place: place, message: "must be \(expectation)"))
          return nil
        }
        let read = elements.enumerated().compactMap { index, element in
          shape.read(element, "\(place)[\(index)]", &problems)
        }
        return read.count == elements.count ? read : nil
      },
      write: { .array($0.map(shape.write)) })
  }
}

extension ConfigurationShape<Bool> {
  /// `true` or `false`.
  static let flag = ConfigurationShape(
    "true or false", .json,
    parse: { value in
      guard case .bool(let flag) = value else { return nil }
      return flag
    },
    write: { .bool($0) })
}

extension ConfigurationShape<Double> {
  /// A number, whole or not.
  static func share(_ range: ClosedRange<Double>) -> Self {
    .init(
      "a number from \(range.lowerBound) to \(range.upperBound)", .json,
      parse: { value in
        guard case .number(let characters) = value, let number = Double(characters),
          range.contains(number)
        else { return nil }
        return number
      },
      write: { .number("\($0)") })
  }
}

/// When another value of a key takes effect.
enum ConfigurationEffect {
  /// When a running server reads its configuration again.
  case atOnce
  /// When the server is started again.
  case atRestart
}

/// One key of a section: its name, and how it gets into the section and out again.
struct ConfigurationField<Section: Sendable>: Sendable {
  let name: String
  let variable: ConfigurationVariableForm?
  let allowsUnsetVariable: Bool
  /// Puts a value into the section, or adds what is wrong with it.
  let set: @Sendable (inout Section, JSONTree, String, inout [Configuration.Problem]) -> Void
  /// What the section has, secrets hidden.
  let value: @Sendable (Section) -> JSONTree
  /// Whether a running server can take another value.
  let effect: ConfigurationEffect
  /// Whether two sections have the same value.
  let isSame: @Sendable (Section, Section) -> Bool
  /// Puts the first section's value into the second.
  let copy: @Sendable (Section, inout Section) -> Void

  init<Value: Equatable>(
    _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable,
    _ shape: ConfigurationShape<Value>, _ effect: ConfigurationEffect = .atOnce
  ) {
    self.name = name
    self.effect = effect
    isSame = { $0[keyPath: path] == $1[keyPath: path] }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
    variable = shape.variable
    allowsUnsetVariable = shape.allowsUnsetVariable
    set = { section, value, place, problems in
      guard let read = shape.read(value, place, &problems) else { return }
      section[keyPath: path] = read
    }
    value = { shape.write($0[keyPath: path]) }
  }
}
