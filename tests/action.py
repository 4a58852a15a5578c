#!/usr/bin/env python3
"""Runs the steps of action.yml as a job of a pull request would, in a repository that is not this one, against a local stand-in
for GitHub: releases, comments, and a user who posts the marker first. The program is played, so that it ends with every status.
Prints NOT RUN and ends with 0 without bash, git, curl and jq."""

import hashlib, http.server, io, json, os, pathlib, re, shutil, subprocess, sys, tarfile, tempfile, threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACTION = (ROOT / "action.yml").read_text()
BOT = "github-actions[bot]"
TARGET = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}.get(os.uname().machine)


def step(name):
    """The script of a step, and the texts of its environment."""
    text = next(part for part in ACTION.split("    - name: ")[1:] if part.startswith(name + "\n"))
    head, _, script = text.partition("      run: ")
    lines = script[2:].splitlines() if script.startswith("|\n") else [script]
    if script.startswith("|\n"):
        lines = [line[8:] for line in script[2:].splitlines() if line.startswith("        ") or not line.strip()]
    environment = dict(re.findall(r"^        (\w+): (.*)$", head.partition("      env:\n")[2], re.M))
    return "\n".join(lines), environment


class GitHub(http.server.BaseHTTPRequestHandler):
    comments, files, may_write = [], {}, True

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path in self.files:
            return self.answer(200, self.files[path])
        if path == "/repos/o/r/issues/7/comments":
            page = int(re.search(r"[?&]page=(\d+)", "?" + query)[1])
            return self.answer(200, json.dumps(self.comments[100 * (page - 1):100 * page]).encode())
        self.answer(403 if path == "/user" else 404)

    def write(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if not self.may_write or self.headers["Authorization"] != "Bearer secret":
            return self.answer(403)
        if self.command == "POST":
            self.comments.append({"id": 1000 + len(self.comments), "user": {"login": BOT}, "body": body})
        else:
            number = int(self.path.rsplit("/", 1)[1])
            next(one for one in self.comments if one["id"] == number)["body"] = body
        self.answer(200, b"{}")

    do_POST = do_PATCH = write

    def log_message(self, *_):
        pass


class Job:
    """A job on a pull request that adds audits in the folder `sub`."""

    def __init__(self, folder, server, status=0, clone_depth=None, said="PASS k: SAME", wrong=""):
        self.folder, self.server = folder, server
        self.temp, self.tools, self.clone = folder / "temp", folder / "tools", folder / "clone"
        for made in (self.temp, self.tools):
            made.mkdir(parents=True)
        origin = folder / "origin"
        (origin / "sub/audits").mkdir(parents=True)
        git = lambda *words, at=origin: subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false", *words],
            cwd=at, check=True, capture_output=True, text=True).stdout
        self.git = git
        git("init", "-q", "-b", "main")
        for at in range(6):
            (origin / "sub/audit.toml").write_text(f"# {at}\n[audit]\nout = \"audits\"\n")
            git("add", "-A"), git("commit", "-q", "-m", str(at))
        git("checkout", "-q", "-b", "change")
        for name in ("2026-01-02-k.json", "2026-01-03-évil.json"):
            (origin / "sub/audits" / name).write_text("{}")
        git("add", "-A"), git("commit", "-q", "-m", "audits")
        depth = [] if clone_depth is None else [f"--depth={clone_depth}"]
        git("clone", "-q", *depth, "-b", "change", f"file://{origin}", str(self.clone), at=folder)
        self.tool("audit", f"""
case "$1" in
  --version) echo "${{PLAYED_VERSION:-audit 9.9.9}}" ;;
  check) printf '%s' {json.dumps(said)}; printf '%s' {json.dumps(wrong)} >&2
    echo "check $*" >> {folder}/calls; exit {status} ;;
  render) echo "render $*" >> {folder}/calls; [ {status} != 3 ] || exit 3
    case "$*" in *"--format pr"*) printf '%s\\n' '<!-- audit:pull-request -->' '## Audits: k is FASTER';; *) mkdir -p "$5"; echo x > "$5/k.html";; esac ;;
esac""")

    def tool(self, name, text):
        path = self.tools / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def run(self, name, **more):
        script, wanted = step(name)
        values = {
            "inputs.version": "9.9.9", "inputs.arguments": "--allow-new", "inputs.audits": "", "inputs.token": "secret",
            "strategy.job-index": "", "github.action_repository": "o/kernel-audit", "github.base_ref": "main",
            "github.server_url": self.server, "github.api_url": self.server, "github.repository": "o/r",
            "github.event.pull_request.head.sha || github.sha": "abc", "github.event.pull_request.number": "7",
        }
        values |= {f"steps.{of}.outputs.{key}": value for of, outputs in self.outputs().items() for key, value in outputs.items()}
        fill = lambda text: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)
        environment = {key: fill(text) for key, text in wanted.items()} | more
        at = self.clone / "sub" if "working-directory:" in ACTION.split(f"- name: {name}\n")[1].split("- name:")[0] else self.clone
        output = self.temp / f".output-{name}"
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=at, capture_output=True, text=True,
            env=os.environ | {"PATH": f"{self.tools}:{os.environ['PATH']}", "RUNNER_TEMP": str(self.temp), "GITHUB_JOB": "audit",
                              "GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(self.folder / "path"),
                              "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "GITHUB_ACTION_PATH": str(ROOT)} | environment)
        return ran

    def outputs(self):
        read = lambda path: dict(line.partition("=")[::2] for line in path.read_text().splitlines())
        return {path.name[len(".output-"):]: read(path) for path in self.temp.glob(".output-*")}

    def all(self):
        for name in ("program", "check", "pages", "comment"):
            ran = self.run(name)
            assert ran.returncode == 0, (name, ran)
        return self.run("status").returncode, ran

    def comment(self):
        return pathlib.Path(self.outputs()["program"]["out"], "comment.md").read_text()


def main():
    missing = [tool for tool in ("bash", "git", "curl", "jq") if shutil.which(tool) is None]
    if missing:
        return print(f"action NOT RUN: there is no {', '.join(missing)}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}"
    at = iter(range(1000))
    with tempfile.TemporaryDirectory() as folder:
        place = lambda: pathlib.Path(folder, str(next(at)))
        marker = "<!-- audit:pull-request audit-audit-0-1 -->"
        spoof = {"id": 1, "user": {"login": "mallory"}, "body": marker + "\nmine"}
        others = [{"id": 10 + i, "user": {"login": "x"}, "body": "talk"} for i in range(150)]
        said = {0: ("PASS k: SAME", "passed"), 1: ("FAIL k: SLOWER", "failed"), 2: ("", "could not be run"),
                3: ("", "could not be run"), 4: ("", "could not be run"), 5: ("", "could not be run"), 6: ("UNSURE k: AMBIGUOUS", "undecided")}
        for status, (words, outcome) in said.items():
            GitHub.comments = [dict(spoof), *others]
            job = Job(place(), here, status, said=words, wrong="" if words else "error: audit.toml:3: a typo")
            ended, _ = job.all()
            assert ended == status, (status, ended)
            own = [one for one in GitHub.comments if one["user"]["login"] == BOT]
            assert len(own) == 1 and outcome in own[0]["body"] and f"status {status}" in own[0]["body"], own
            assert GitHub.comments[0]["body"] == spoof["body"], "nobody else's comment is written to"
            assert ("FASTER" in own[0]["body"]) == (status != 3), own
            assert words.startswith("PASS") or (words or "a typo") in own[0]["body"], own
            calls = (job.folder / "calls").read_text()
            assert "évil.json" in calls and "audits/2026-01-02-k.json" in calls and "/blob/abc/sub " in calls, calls
            # The next push writes the same comment anew, also where it is on the second page.
            GitHub.comments[1:1] = others[:60]
            job = Job(place(), here, 0)
            job.all()
            own = [one for one in GitHub.comments if one["user"]["login"] == BOT]
            assert len(own) == 1 and "passed" in own[0]["body"], own
        # A full clone stays full, a shallow one works.
        for depth in (None, 2):
            job = Job(place(), here, clone_depth=depth)
            before = job.git("rev-list", "--count", "HEAD", at=job.clone)
            job.all()
            assert job.git("rev-list", "--count", "HEAD", at=job.clone) == before
            assert (job.git("rev-parse", "--is-shallow-repository", at=job.clone).strip() == "true") == (depth is not None)
        # A fork's token cannot write: a warning, and the summary has the comment.
        GitHub.comments, GitHub.may_write = [], False
        job = Job(place(), here)
        _, ran = job.all()
        assert "::warning" in ran.stdout and "FASTER" in (job.folder / "summary").read_text(), ran
        GitHub.may_write = True
        # Two uses in one job: two folders, two artifacts, two comments.
        job = Job(place(), here)
        job.all()
        first = job.outputs()["program"]["name"]
        (job.temp / ".output-program").unlink()
        job.all()
        assert job.outputs()["program"]["name"] != first and len(GitHub.comments) == 2, GitHub.comments
        # Nothing changed, nothing wrong, nothing said before: no comment.
        GitHub.comments = []
        job = Job(place(), here)
        job.git("reset", "-q", "--hard", "HEAD~1", at=job.clone)
        job.all()
        assert GitHub.comments == [], GitHub.comments
        installs(place, here)
    print("action: 7 statuses, comments, clones and installs as they should be")


def installs(place, here):
    """A release with the right checksum is installed, one with another is not run, and without one cargo builds the checkout."""
    if TARGET is None:
        return print("action: releases NOT TRIED on this machine")
    job = Job(place(), here)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        text = b"#!/bin/sh\necho audit 9.9.9\n"
        entry = tarfile.TarInfo(f"audit-{TARGET}/audit")
        entry.size, entry.mode = len(text), 0o755
        tar.addfile(entry, io.BytesIO(text))
    name, bytes_ = f"audit-{TARGET}.tgz", packed.getvalue()
    url = f"/o/kernel-audit/releases/download/v9.9.9/{name}"
    right = f"{hashlib.sha256(bytes_).hexdigest()}  {name}\n".encode()
    job.tool("cargo", f'echo "cargo $*" >> {job.folder}/calls')
    for sha256, ends in ((right, 0), (b"0" * 64 + right[64:], 1)):
        GitHub.files = {url: bytes_, url.rpartition("/")[0] + "/SHA256SUMS": b"1" * 64 + b"  other.whl\n" + sha256}
        (job.temp / ".output-program").unlink(missing_ok=True)
        assert job.run("program", PLAYED_VERSION="audit 9.9.90").returncode == 0
        assert job.outputs()["program"]["here"] == "false", "another version whose number begins alike"
        home = pathlib.Path(job.outputs()["program"]["home"])
        shutil.rmtree(home, ignore_errors=True)
        ran = job.run("install")
        assert (ran.returncode != 0) == bool(ends), ran
        assert (home / "bin/audit").exists() == (not ends), ran
    assert not (job.folder / "calls").exists(), "cargo was not asked"
    GitHub.files = {}
    shutil.rmtree(home, ignore_errors=True)
    ran = job.run("install")
    calls = (job.folder / "calls").read_text()
    assert ran.returncode == 0 and f"cargo install --path {ROOT} --locked --root {home}" in calls, (ran, calls)


if __name__ == "__main__":
    sys.exit(main())
