// As much of SwiftUI's interface as TsugiClient and its articles use, so that they are type-checked
// where there is no SwiftUI. Signatures as Apple's documentation gives them; nothing is shown.

/// A view.
@MainActor public protocol View {
  /// What it is made of.
  associatedtype Body: View
  /// What it is made of.
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  /// Nothing.
  public var body: Never { fatalError("a primitive view") }
}

/// A view that is made of nothing else.
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
  /// Nothing.
  public var body: Never { fatalError("a primitive view") }
}

/// Several views.
public struct TupleView<T>: PrimitiveView {
  nonisolated init() {}
}

/// One of two views.
public struct ConditionalContent<First: View, Second: View>: PrimitiveView {
  nonisolated init() {}
}

/// No view.
public struct EmptyView: PrimitiveView {
  /// No view.
  public nonisolated init() {}
}

extension Optional: View where Wrapped: View {
  /// Nothing.
  public var body: Never { fatalError("a primitive view") }
}

/// Makes views of statements.
@resultBuilder public struct ViewBuilder {
  /// A view as it is.
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  /// No view.
  public static func buildBlock() -> EmptyView { EmptyView() }
  /// One view.
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  /// Several views.
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }
  /// A view or none.
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  /// The first of two.
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
  /// The second of two.
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
}

/// A text.
public struct Text: PrimitiveView {
  /// A text.
  public init<Content: StringProtocol>(_ content: Content) {}
}

/// Something is under way.
public struct ProgressView: PrimitiveView {
  /// Something is under way.
  public init() {}
}

/// A button.
public struct Button<Label: View>: PrimitiveView {
  /// A button with a view.
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
  /// A button with a title.
  public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}

/// A list.
public struct List<Content: View>: PrimitiveView {
  /// A list.
  public init(@ViewBuilder content: () -> Content) {}
}

/// Views above each other.
public struct VStack<Content: View>: PrimitiveView {
  /// Views above each other.
  public init(@ViewBuilder content: () -> Content) {}
}

/// Views before each other.
public struct ZStack<Content: View>: PrimitiveView {
  /// Views before each other.
  public init(@ViewBuilder content: () -> Content) {}
}

/// A view for each element.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View, PrimitiveView where Content: View {
  /// The type of what it is made of.
  public typealias Body = Never
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  /// A view for each element, named by its id.
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

/// A state that belongs to a view.
@propertyWrapper public struct State<Value> {
  /// The value.
  public var wrappedValue: Value
  /// A state that begins with a value.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// Whether an app is in front.
public enum ScenePhase: Equatable, Sendable {
  case background
  case inactive
  case active
}

/// What a view finds around it.
public struct EnvironmentValues: Sendable {
  /// Whether the app is in front.
  public var scenePhase: ScenePhase { .active }
}

/// A value that a view finds around it.
@propertyWrapper public struct Environment<Value> {
  private let path: KeyPath<EnvironmentValues, Value>
  /// The value.
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
  /// The value at a path.
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
}

extension View {
  /// Does something when it is shown.
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
  /// Does something when it is shown no more.
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
  /// Does something when it is pulled.
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
  /// Does something while it is shown.
  public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
  /// Does something when a value is another.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
  ) -> some View { self }
}
