#!/bin/sh
# Runs once, when the database of compose.yaml is made: the role that dpviz connects as owns its tables and is no
# superuser, so that the rights to change a ledger, which it withdraws from itself, are withdrawn.
set -eu
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE dpviz LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE dpviz OWNER dpviz;
REVOKE ALL ON DATABASE dpviz FROM PUBLIC;
SQL
