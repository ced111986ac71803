"""Leads to the plan's page: what was asked here is a part of it now."""

from dpviz.ui.shell import shell

shell.ensure_entrypoint()
shell.lead_to_plan(tab="How accurate", panel="Fit to budget")
