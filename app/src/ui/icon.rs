//! Icons: outlines on a grid of 16, stroked in the colour of the text around them. Never alone: a word stands beside.

use leptos::prelude::*;

/// The outlines that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Pass.
    Tick,
    /// Fail.
    Cross,
    /// Out of bounds: an arrow through a wall.
    Wall,
    /// Values: a wave.
    Wave,
    /// A limit: a clock.
    Clock,
    /// Ours: a plug.
    Plug,
    /// A barrier: two bars.
    Bars,
    /// A hint: a lamp.
    Lamp,
    /// What the grader fixes: a lock.
    Lock,
    /// Submit: an arrow up.
    Up,
    /// The theme: a moon.
    Moon,
    /// The task: a page with lines.
    Page,
    /// The code: angles.
    Code,
    /// The result: columns.
    Columns,
    /// A race: two crossing tracks.
    Race,
    /// Something that must hold: a flag.
    Flag,
    /// Waiting: three dots.
    Dots,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Tick => "M3 8.5l3.2 3.2L13 4.8",
            Self::Cross => "M4 4l8 8M12 4l-8 8",
            Self::Wall => "M8 1.800v3.700M8 10.500v3.700M2 8h11.500M10.800 5.200 13.600 8l-2.800 2.800",
            Self::Wave => "M1.5 8c2-5 4.5-5 6.5 0s4.500 5 6.500 0",
            Self::Clock => "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.800V8l2.200 1.600",
            Self::Plug => "M5.500 2v3.500M10.500 2v3.500M4 5.500h8V8a4 4 0 0 1-8 0zM8 12v2.500",
            Self::Bars => "M5.500 3v10M10.500 3v10",
            Self::Lamp => {
                "M6 13.5h4M5.5 11c-1.4-.9-2.2-2.2-2.2-3.8A4.7 4.7 0 0 1 8 2.5a4.7 4.7 0 0 1 4.7 4.7c0 1.600-.8 2.900-2.200 3.800z"
            }
            Self::Lock => "M4 7.5h8v6H4zM5.500 7.5V5.2a2.500 2.500 0 0 1 5 0v2.300",
            Self::Up => "M8 13V3M3.8 7.2 8 3l4.2 4.2",
            Self::Moon => "M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.500 6.500z",
            Self::Page => "M3.500 2.500h9v11h-9zM6 5.500h4M6 8h4",
            Self::Code => "M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500",
            Self::Columns => "M2 13h12M4 13V8M8 13V3M12 13V6",
            Self::Race => "M2 4h5l4 8h3M2 12h5l4-8h3",
            Self::Flag => "M3.5 14V2.5h8l-1.600 3 1.600 3h-8",
            Self::Dots => "M3 8h.01M8 8h.01M13 8h.01",
        }
    }

    /// The icon as markup, hidden from screen readers.
    pub fn view(self) -> impl IntoView + use<> {
        view! { <svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d=self.path()></path></svg> }
    }
}
