"""The only code that knows Streamlit: the shell, the inputs, kept answers and the parts that pages are made of.

Everywhere `in_words` says whether answers avoid symbols. Inside a page, and in the file of `pages` that draws it, its
modules are called alike: ``asked as asks`` (`asked` is the record of what the sidebar asks), ``answer as answers``,
``words as told``, everything else by its own name; what pages share is imported from `shell`, its answers by name.
"""
