"""A bare page of Streamlit with the kinds of elements that ours have: what is wrong here is not ours."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

FRAME = pd.DataFrame({"name": ["one", "two"], "value": [1.0, 2.0]})


def sidebar() -> None:
    """Inputs, as the sidebar of every page has them."""
    st.number_input("Number", 0.0, 10.0, 1.0, help="About the number")
    st.text_input("Text", "text")
    st.slider("Slider", 0, 10, 3)
    st.select_slider("Steps", ["few", "many"])
    st.selectbox("Box", ["one", "two"])
    st.multiselect("Several", ["one", "two"], ["one"])
    st.radio("Radio", ["one", "two"])
    st.toggle("Toggle", value=True)
    st.checkbox("Check", value=True)
    st.segmented_control("Segments", ["one", "two"], default="one")
    st.caption("A caption")


def content() -> None:
    """Texts, charts and tables."""
    st.title("Title")
    st.markdown("A **text** with `code` and a [link](https://example.org).")
    st.caption("A caption")
    st.pills("Pills", ["one", "two"], default="one")
    st.plotly_chart(go.Figure(go.Scatter(x=[1, 2], y=[1, 2])), alt="A line", key="chart")
    st.data_editor(FRAME, num_rows="dynamic", key="editor")
    st.dataframe(FRAME, alt="Two rows")
    st.metric("Metric", "1", "note", border=True, delta_color="off", delta_arrow="off", help="About the metric")
    st.header("Header")
    st.latex("x^2")
    st.code("print(1)")
    st.info("Info")
    st.warning("Warning")
    st.error("Error", icon="⚠️")


def controls() -> None:
    """What is pressed, opened and handed over."""
    st.button("Button", icon=":material/undo:")
    st.button("Off", disabled=True)
    with st.form("form", border=False):
        st.text_input("Asked")
        st.form_submit_button("Start", type="primary")
    st.download_button("Download", "text", "file.txt")
    st.file_uploader("A file", type=["csv"], help="About the file")
    first, second = st.tabs(["First", "Second"])
    first.write("one")
    second.write("two")
    st.expander("Expander", expanded=True).write("inside")
    st.popover("Popover").write("inside")


if __name__ == "__main__":
    st.set_page_config(page_title="Bare", layout="wide")
    with st.sidebar:
        sidebar()
    content()
    controls()
