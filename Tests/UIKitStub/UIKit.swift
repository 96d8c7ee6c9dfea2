// As much of UIKit's interface as the articles use, so that they are type-checked where there is no
// UIKit. Signatures as Apple's documentation gives them; nothing is shown.

public import Foundation

/// A view that scrolls.
@MainActor open class UIScrollView {}

/// A view of items.
@MainActor open class UICollectionView: UIScrollView {
  /// The items on the screen.
  public var indexPathsForVisibleItems: [IndexPath] { [] }
}

/// A controller of such a view.
@MainActor open class UICollectionViewController {
  /// A controller.
  public init() {}
  /// Its view.
  public var collectionView: UICollectionView { UICollectionView() }
  /// The view was scrolled.
  open func scrollViewDidScroll(_ scrollView: UIScrollView) {}
}

/// The rows of a view.
public struct NSDiffableDataSourceSnapshot<Section: Hashable & Sendable, Item: Hashable & Sendable>:
  Sendable
{
  /// No rows.
  public init() {}
  /// Adds sections.
  public mutating func appendSections(_ sections: [Section]) {}
  /// Adds items to the last section.
  public mutating func appendItems(_ items: [Item]) {}
  /// Has items shown again.
  public mutating func reconfigureItems(_ items: [Item]) {}
}

/// What gives a view its rows.
@MainActor
open class UICollectionViewDiffableDataSource<
  Section: Hashable & Sendable, Item: Hashable & Sendable
> {
  /// The item at a path.
  open func itemIdentifier(for path: IndexPath) -> Item? { nil }
  /// Shows rows.
  open func apply(
    _ snapshot: NSDiffableDataSourceSnapshot<Section, Item>, animatingDifferences: Bool = true
  ) {}
}
