//! The fenced code blocks of a Markdown page.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// What follows the opening fence: `rust`, `console`, `text`.
    pub language: &'a str,
    /// Line of the first line inside, from 1.
    pub line: usize,
    /// The lines inside.
    pub lines: Vec<&'a str>,
}

/// All fenced blocks of a page, in order. A fence that is not closed runs to the end.
pub fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), inside) {
            (Some(_), true) => inside = false,
            (Some(language), false) => {
                inside = true;
                let language = language.trim();
                found.push(Block { language, line: number + 2, lines: Vec::new() });
            }
            (None, true) => {
                if let Some(block) = found.last_mut() {
                    block.lines.push(line);
                }
            }
            (None, false) => {}
        }
    }
    found
}
