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

/// Rows with a view above them.
public struct Section<Header: View, Content: View>: PrimitiveView {
  /// Rows with a header.
  public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Header) {}
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
  private let initial: Value
  /// The value.
  public var wrappedValue: Value {
    get { initial }
    nonmutating set {}
  }
  /// What others may set it by.
  public var projectedValue: Binding<Value> { Binding(initial) }
  /// A state that begins with a value.
  public init(wrappedValue: Value) { initial = wrappedValue }
}

extension State: Sendable where Value: Sendable {}

extension State where Value: ExpressibleByNilLiteral {
  /// A state that begins with nothing.
  public init() { self.init(wrappedValue: nil) }
}

/// What sets a value that lies elsewhere.
@propertyWrapper public struct Binding<Value> {
  /// The value.
  public var wrappedValue: Value
  init(_ value: Value) { wrappedValue = value }
}

/// An app.
@MainActor public protocol App {
  /// What it is made of.
  associatedtype Body: Scene
  /// What it is made of.
  var body: Body { get }
  /// An app.
  init()
}

extension App {
  /// Runs it.
  public static func main() {}
}

/// A part of an app.
@MainActor public protocol Scene {}

/// A window, or several.
public struct WindowGroup<Content: View>: Scene {
  /// A window with a view.
  public init(@ViewBuilder content: () -> Content) {}
}

/// Views that lead to others.
public struct NavigationStack<Content: View>: PrimitiveView {
  /// Views that lead to others.
  public init(@ViewBuilder root: () -> Content) {}
}

/// A row that leads to another view.
public struct NavigationLink<Destination: View>: PrimitiveView {
  /// A row with a title.
  public init<Title: StringProtocol>(
    _ title: Title, @ViewBuilder destination: () -> Destination
  ) {}
}

/// What is submitted.
public struct SubmitTriggers: Sendable {
  /// A search.
  public static let search = SubmitTriggers()
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
  /// Has a field to search by.
  public func searchable(text: Binding<String>) -> some View { self }
  /// Does something when a text is submitted.
  public func onSubmit(
    of triggers: SubmitTriggers, _ action: @escaping () -> Void
  ) -> some View { self }
  /// Has a title.
  public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { self }
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
