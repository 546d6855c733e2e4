/// Rows under headings, fitted to a width.
package struct Table {
    /// One column.
    package struct Column {
        package enum Kind { case words, number, address }

        var heading: TerminalText
        var kind: Kind
        /// No narrower than this when the table must shrink.
        var least: Int

        package init(_ heading: TerminalText, _ kind: Kind = .words, least: Int = 6) {
            self.heading = heading
            self.kind = kind
            self.least = least
        }
    }

    private var columns: [Column]
    private var rows: [[String]] = []
    private var styles: [[TerminalText.Style]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row of raw values: they are made safe when the table is drawn.
    package mutating func add(_ cells: [String], styles rowStyles: [Int: TerminalText.Style] = [:]) {
        let filled = columns.indices.map { $0 < cells.count ? cells[$0] : "" }
        rows.append(filled)
        styles.append(columns.indices.map { rowStyles[$0] ?? .plain })
    }

    /// The lines of the table.
    ///
    /// - Parameter width: The columns of the terminal. The widest columns shrink first, none below its least.
    /// - Returns: The headings and the rows.
    package func lines(width: Int) -> [TerminalText] {
        let gap = 2
        var widths = columns.indices.map { index in
            rows.reduce(columns[index].heading.columns) { max($0, min(width, TerminalText($1[index]).columns)) }
        }
        while widths.reduce(0, +) + gap * (widths.count - 1) > width {
            let shrinkable = widths.indices.filter { widths[$0] > columns[$0].least }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        let heading = line(columns.indices.map { columns[$0].heading.styled(.dim) }, widths)
        return [heading]
            + zip(rows, styles).map { cells, styles in
                line(
                    columns.indices.map { index in
                        let cell =
                            columns[index].kind == .address
                            ? cutAddress(cells[index], to: widths[index]) : cut(cells[index], to: widths[index])
                        return cell.styled(styles[index])
                    },
                    widths
                )
            }
    }

    private func line(_ cells: [TerminalText], _ widths: [Int]) -> TerminalText {
        var line: TerminalText = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let isLast = index == cells.count - 1
            let isNumber = columns[index].kind == .number
            line += isLast && !isNumber ? cell : cell.padded(to: widths[index], right: isNumber)
        }
        return line
    }
}
