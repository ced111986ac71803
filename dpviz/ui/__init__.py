"""The only code that knows Streamlit: the shell, the inputs, cached answers and the parts that pages are made of.

Everywhere `in_words` says whether answers avoid symbols.
"""
