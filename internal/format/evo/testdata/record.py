"""Records what the real evo-hq-cli does, as txtar archives in testdata/recorded.

Not run by tests. Anew, with the program in an environment of its own:

    python3 -m venv venv-0.8
    venv-0.8/bin/pip install evo-hq-cli==0.8.0 evo-hq-agent
    python3 -m venv venv-0.3
    venv-0.3/bin/pip install evo-hq-cli==0.3.3
    python3 internal/format/evo/testdata/record.py venv-0.8/bin venv-0.3/bin

Each command is one step: its arguments, exit status, standard output and error.
Only facts are kept: of an error its first clause, of the scratchpad no
explanations. Times, commits, process ids, event ids and paths are replaced so
that a second recording is the same; commands begin with a second of their own,
because the program orders by times of whole seconds. The dashboard is not
started: its pid files name a process of ours, which is ended at the end.
"""

import atexit
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMITS, TIMES, EVENTS = [], set(), []

TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)")
CLAUSE = re.compile(r"(?<=\w): |\. | -- |; | — | \(")


class Recording:
    def __init__(self, name, bin, title):
        self.name, self.title, self.parts = name, title, []
        self.base = Path(tempfile.gettempdir(), f"evo-recording-{name}")  # digests of paths are in names
        shutil.rmtree(self.base, ignore_errors=True)
        self.repo = self.base / "repo"
        self.repo.mkdir(parents=True)
        (self.base / "home").mkdir()
        self.env = {
            "PATH": f"{bin}:/usr/bin:/bin", "HOME": str(self.base / "home"), "LANG": "C.UTF-8",
            "EVO_TELEMETRY": "0", "DO_NOT_TRACK": "1", "EVO_SKIP_VERSION_CHECK": "1",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
            "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
        }
        self.sleeper = subprocess.Popen(["sleep", "3600"])
        atexit.register(self.sleeper.kill)
        self.digests = {}

    def sh(self, command):
        subprocess.run(["sh", "-ec", command], cwd=self.repo, env=self.env, check=True, stdout=subprocess.DEVNULL)

    def start(self, target):
        (self.repo / "answer.sh").write_text(target)
        self.sh("git init -q -b main . && git add -A && git commit -q -m base")
        (self.repo / ".evo").mkdir()
        for file in ("supervisor.pid", "dashboard.pid"):  # 0.8 and 0.3
            (self.repo / ".evo" / file).write_text(str(self.sleeper.pid))

    def evo(self, label, *args, stdin=""):
        """Runs one command and records it under label, unless that is empty."""
        time.sleep(1.02 - time.time() % 1)
        p = subprocess.run(["evo", *args], cwd=self.repo, env=self.env, input=stdin, text=True, capture_output=True)
        if label:
            self.record(label, args, p.returncode, p.stdout, p.stderr)
        elif p.returncode:
            raise SystemExit(f"evo {args}: {p.stdout}{p.stderr}")
        return p.stdout

    def record(self, label, args, code, out, err):
        self.parts.append((f"{label}/args", json.dumps(args) + "\n"))
        self.parts.append((f"{label}/exit", f"{code}\n"))
        if label.startswith("scratchpad"):
            out = scratch_facts(out)
        self.parts.append((f"{label}/stdout", out))
        if err:
            self.parts.append((f"{label}/stderr", "".join(first_clause(l) + "\n" for l in err.splitlines()[:1])))

    def new(self, parent, hypothesis, target=None, label="", *more):
        out = self.evo(label, "new", "--parent", parent, "-m", hypothesis, *more)
        made = json.loads(out[out.index("{"):])
        if target is not None:
            Path(made["target"]).write_text(target)
        return made["id"], made

    def files(self, under, *patterns):
        for pattern in patterns:
            for path in sorted((self.repo / ".evo").glob(pattern)):
                if path.is_file():
                    text = path.read_text()
                    if path.name == "manifest.json":
                        self.digest(json.loads(text))
                    self.parts.append((f"{under}/{path.relative_to(self.repo / '.evo')}", text))

    def digest(self, manifest):
        for a in manifest["artifacts"]:
            at = re.search(r"-([0-9a-f]{10})(\.|$)", a["stored_path"])
            if at:
                real = next(self.repo.glob(".evo/run_*/worktrees")) / manifest["experiment_id"] / a["source_path"]
                shown = str(real).replace(str(self.repo), "/repo")
                self.digests[at.group(1)] = hashlib.sha1(shown.encode()).hexdigest()[:10]

    def normal(self, text):
        text = text.replace(str(self.repo), "/repo").replace(str(self.base), "/base")
        for was, now in self.digests.items():
            text = text.replace(was, now)
        text = re.sub(r"\b[0-9a-f]{40}\b", lambda m: commit(m.group()), text)
        text = re.sub(r"(recreated from )([0-9a-f]{8})", lambda m: m.group(1) + commit(m.group(2))[:8], text)
        text = re.sub(r"\bindex [0-9a-f]{7,}\.\.[0-9a-f]{7,}", "index 1111111..2222222", text)
        text = re.sub(r"\b[0-9A-F]{32}\b", lambda m: event(m.group()), text)
        text = re.sub(r"(?i)\b(pid\"?:? )\d+", r"\g<1>4242", text)
        text = re.sub(r"(supervisor )\d+", r"\g<1>4242", text)
        text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "00000000-0000-4000-8000-000000000000", text)
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", text)
        return TIME.sub(lambda m: moment(m.group()), text)

    def write(self):
        self.sleeper.terminate()
        self.sleeper.wait()
        TIMES.clear(), COMMITS.clear(), EVENTS.clear()
        for _, text in self.parts:
            TIMES.update(m.group() for m in TIME.finditer(text))
        lines = [f"{self.title}\nRecorded by record.py; see there for what is normalised.\n\n"]
        for name, text in self.parts:
            text = self.normal(text)
            lines.append(f"-- {name} --\n{text}" + ("" if text.endswith("\n") or not text else "\n"))
        (HERE / "recorded" / f"{self.name}.txtar").write_text("".join(lines))
        shutil.rmtree(self.base)


def commit(hash):
    for i, known in enumerate(COMMITS):
        if known.startswith(hash):
            return f"{i + 1:040x}"
    COMMITS.append(hash)
    return f"{len(COMMITS):040x}"


def event(id):
    if id not in EVENTS:
        EVENTS.append(id)
    return f"{EVENTS.index(id) + 1:032X}"


def moment(text):
    n = sorted(TIMES).index(text)
    return f"2026-01-02T{3 + n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}+00:00"


def first_clause(line):
    head, text = ("ERROR: ", line[7:]) if line.startswith("ERROR: ") else ("", line)
    return head + CLAUSE.split(text, maxsplit=1)[0]


def scratch_facts(text):
    """The scratchpad without its explanations: legend, advice and list of commands."""
    text = re.sub(r"^(## (?:Tree|Notes)) \(.*\)$", r"\1", text, flags=re.M)
    text = re.sub(r"^Gate failed or .*\n", "", text, flags=re.M)
    return re.sub(r"\n## Drill-downs\n.*", "", text, flags=re.S)


def answer(score, **tasks):
    return "echo '" + json.dumps({"score": score, **({"tasks": tasks} if tasks else {})}) + "'\n"


def active(r, id):
    """Has an experiment run that does not end by itself, and the second run, discard and abort of it."""
    p = subprocess.Popen(["evo", "run", id], cwd=r.repo, env=r.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    state = r.repo / f".evo/run_0000/experiments/{id}/attempts/001/attempt_state.json"
    while not (state.exists() and '"benchmark"' in state.read_text()):
        time.sleep(0.1)
    r.files("active", f"run_0000/experiments/{id}/attempts/001/attempt_state.json")
    r.evo("status-active", "status")
    r.evo("scratchpad-active", "scratchpad")
    r.evo("run-active-error", "run", id)
    r.evo("discard-active-error", "discard", id, "--reason", "no use")
    r.evo("", "abort", id, "--force")
    p.communicate()
    r.evo("discard-forced", "discard", id, "--reason", "stopped", "--force")


def main8(bin):
    r = Recording("v08", bin, "evo-hq-cli 0.8.0, metric max, worktree backend.")
    r.start(answer(0.5, a=0.5, b=0.5, c=0.5))
    r.evo("version", "--version")
    r.evo("init", "init", "--target", "answer.sh", "--benchmark", "sh {target}", "--metric", "max", "--host", "generic",
          "--per-exp-timeout", "60", "--instrumentation-mode", "inline", "--name", "demo")
    r.files("init", "meta.json", "run_0000/*.json")
    for verb in ("status", "tree", "scratchpad"):
        r.evo(f"{verb}-empty", verb)
    r.evo("frontier-empty", "frontier", "--seed", "0")

    base, _ = r.new("root", "measure the base", None, "new")
    r.evo("run-baseline", "run", base)
    up, _ = r.new(base, "raise a", answer(0.75, a=1, b=0.75, c=0.5))
    r.evo("run-committed", "run", up)
    down, _ = r.new(base, "raise b  and \n lower the rest", answer(0.25, a=0.1, b=0.9, c=0.1))
    r.evo("run-regressed", "run", down)
    r.evo("gate-add", "gate", "add", base, "--name", "keep-c", "--command", "grep -q '\"c\"' {target}")
    r.evo("gate-add-again", "gate", "add", base, "--name", "keep-c", "--command", "true")
    r.evo("gate-add-pre", "gate", "add", "root", "--name", "syntax", "--command", "sh -n {target}", "--phase", "pre")
    r.evo("gate-list", "gate", "list", up)
    r.evo("gate-check", "gate", "check", up)
    gated, _ = r.new(base, "drop c", answer(0.9, a=1, b=0.8))
    r.evo("run-gate-failed", "run", gated)
    r.evo("", "run", gated)
    r.evo("run-last-attempt", "run", gated)
    r.evo("run-exhausted-error", "run", gated)
    child, _ = r.new(gated, "from one that was not kept", None, "new-from-evaluated")

    broken, _ = r.new(up, "break it", "echo oops >&2; exit 7\n")
    r.evo("run-failed", "run", broken)
    Path(f"{r.repo}/.evo/run_0000/worktrees/{broken}/answer.sh").write_text("sleep 9\n")
    r.evo("run-timeout", "run", broken, "--timeout", "1")
    Path(f"{r.repo}/.evo/run_0000/worktrees/{broken}/answer.sh").write_text("if\n")
    r.evo("run-pre-gate-failed", "run", broken)
    Path(f"{r.repo}/.evo/run_0000/worktrees/{broken}/answer.sh").write_text(
        "echo '{\"task_id\": \"t 1\", \"score\": 1, \"status\": \"passed\"}' > \"$EVO_TRACES_DIR/task_t 1.json\"\n"
        "echo '{\"task_id\": \"t2\", \"score\": 0.25, \"status\": \"failed\"}' > \"$EVO_TRACES_DIR/task_t2.json\"\n"
        "exit 3 # \"c\"\n")
    r.evo("run-salvaged", "run", broken)
    r.evo("traces-all", "traces", broken)

    check, _ = r.new(up, "check first", answer(0.8, a=1, b=0.9, c=0.5))
    r.evo("check-failed", "run", check, "--check")
    Path(f"{r.repo}/.evo/run_0000/worktrees/{check}/answer.sh").write_text(
        "echo '" + json.dumps({"score": 1e-07, "tasks": {"a": 1, "b": 0.9, "c": 0.5}, "unicode": "é"}, ensure_ascii=False) +
        "' > \"$EVO_RESULT_PATH\"\n")
    r.evo("check-passed", "run", check, "--check")
    r.evo("run-tiny", "run", check)
    r.evo("awaiting", "awaiting")

    made, _ = r.new(base, "make things", "echo model > \"$EVO_WORKTREE/model.bin\"; echo best > \"$EVO_CHECKPOINT_DIR/best.txt\"\n"
                    "echo \"{\\\"score\\\": 0.1, \\\"tasks\\\": {\\\"a\\\": 0, \\\"b\\\": 0, \\\"c\\\": 0}, \\\"artifacts\\\": {\\\"the model\\\": \\\"model.bin\\\", "
                    "\\\"best\\\": \\\"$EVO_CHECKPOINT_DIR/best.txt\\\", \\\"gone\\\": \\\"nowhere\\\"}}\"\n")
    r.evo("run-artifacts", "run", made)
    r.evo("discard", "discard", made, "--reason", "decoding was wrong", "--failure-class", "eval")
    r.evo("discards", "discards", "--like", "MAKE")
    reuse, _ = r.new(base, "use the model", answer(0.76, a=0.9, b=0.88, c=0.5), "new-from-artifact", "--from-artifact", f"{made}:the model")
    r.evo("run-second-branch", "run", reuse)
    r.evo("new-artifact-ambiguous", "new", "--parent", base, "-m", "which", "--from-artifact", made)
    r.evo("discard-committed-error", "discard", up, "--reason", "x")
    r.evo("discard-parent-error", "discard", gated, "--reason", "x")
    r.evo("discard-child", "discard", child, "--reason", "x")

    slow, _ = r.new(up, "wait for ever", "sleep 300\n")
    active(r, slow)

    r.evo("annotate", "annotate", up, "a", "task a is solved; b has room")
    r.evo("annotate-all", "annotate", base, "the base is even")
    r.evo("set", "set", up, "--note", "promising", "--tag", "hot")
    r.evo("note", "note", "the harness is steady")
    r.evo("notes", "notes")
    r.evo("annotations", "annotations", "--exp", up)
    r.evo("infra", "infra", "event", "-m", "moved to a faster machine")

    c2, _ = r.new(up, "raise b too", answer(0.8, a=1, b=0.9, c=0.5))
    r.evo("run-deeper", "run", c2)
    for i, (a, b, c) in enumerate([(1, .7, .9), (.2, 1, .9), (1, .9, .5), (.3, .3, .3)]):
        e, _ = r.new(up if i % 2 else reuse, f"variant {i}", answer(round((a + b + c) / 3 + 0.2, 3), a=a, b=b, c=c))
        r.evo(f"run-variant-{i}", "run", e)
    for kind, params in [("argmax", None), ("top_k", '{"k": 3}'), ("top_k", None), ("pareto_per_task", '{"k": 50}')]:
        more = ["--params", params] if params else []
        r.evo(f"frontier-{kind}{'-params' if params else ''}", "frontier", "--strategy", kind, *more, "--seed", "0")
    for kind, params in [("epsilon_greedy", '{"epsilon": 0.5}'), ("softmax", '{"temperature": 0.2, "k": 3}'), ("pareto_per_task", '{"k": 2}')]:
        for seed in ("0", "1", "2", "2147483647"):
            r.evo(f"frontier-{kind}-{seed}", "frontier", "--strategy", kind, "--params", params, "--seed", seed)
    r.evo("frontier-k-range", "frontier", "--strategy", "top_k", "--params", '{"k": 99}')
    r.evo("frontier-t-range", "frontier", "--strategy", "softmax", "--params", '{"temperature": 0}')
    r.evo("frontier-type", "frontier", "--strategy", "softmax", "--params", '{"k": "many"}')
    r.evo("config-frontier-unknown", "config", "set", "frontier-strategy", "best")
    r.evo("config-set", "config", "set", "frontier-strategy", '{"kind": "softmax", "params": {"temperature": 1}}')
    r.evo("config-get-frontier", "config", "get", "frontier-strategy")
    r.evo("", "config", "set", "frontier-strategy", "pareto_per_task")
    r.evo("config-get-max-attempts", "config", "get", "max-attempts")
    r.evo("config-get-task-skills", "config", "get", "task-skills")

    r.evo("prune-spine-error", "prune", reuse, "--invalid", "--reason", "leaked")
    r.evo("prune-exhausted", "prune", c2, "--exhausted", "--reason", "no more")
    r.evo("new-pruned-error", "new", "--parent", c2, "-m", "from a pruned one")
    r.evo("prune-invalid", "prune", reuse, "--invalid", "--yes", "--reason", "leaked")
    r.evo("run-invalid-error", "run", reuse)
    r.evo("status-pruned", "status")
    r.evo("restore", "restore", c2)
    r.evo("discard-root-child", "discard", down, "--reason", "worse", "--failure-class", "hypothesis")
    again, _ = r.new(base, "Raise B and lower the rest")
    r.evo("", "discard", again, "--reason", "as before")

    done, _ = r.new(up, "measured elsewhere", answer(0.81, a=1, b=0.93, c=0.5))
    r.evo("done", "done", done, "--score", "0.81")
    recorded, _ = r.new(up, "only recorded", "true\n")
    r.evo("done-no-compare", "done", recorded, "--score", "2", "--no-compare")
    r.evo("run-committed-error", "run", up)
    r.evo("run-unknown-error", "run", "exp_9999")
    r.evo("new-unknown-error", "new", "--parent", "exp_9999", "-m", "x")
    r.evo("path", "path", c2)
    r.evo("show", "show", up)
    r.evo("get", "get", up)

    sdk, _ = r.new(base, "use the SDK", "PYTHONPATH= python3 - <<'END'\nfrom evo_agent import Run\nwith Run() as run:\n"
                   "    run.log('a', 'hello'); run.log('a', {'step': 1})\n"
                   "    run.report('a', score=1.0, summary='solved', cost={'usd': 0.01}, kind='easy')\n"
                   "    run.report('b', score=0.25, failure_reason='wrong')\n"
                   "    run.report('c', score=1.2, direction='min')\nEND\n")
    r.evo("run-sdk", "run", sdk)
    r.evo("traces-task", "traces", sdk, "a")

    r.evo("tree", "tree")
    r.evo("status", "status")
    r.evo("scratchpad", "scratchpad")
    r.evo("infra-breaking", "infra", "event", "-m", "new grader", "--breaking")
    waits, _ = r.new(base, "must wait")
    r.evo("run-blocked-error", "run", waits)
    fresh, _ = r.new("root", "new baseline", answer(0.4, a=0.4, b=0.4, c=0.4))
    r.evo("run-new-epoch", "run", fresh)
    r.evo("tree-epochs", "tree")
    r.evo("status-epochs", "status")
    r.evo("scratchpad-epochs", "scratchpad")
    r.evo("infra-log", "infra", "log", "--limit", "2")
    out = r.evo("direct", "direct", "try the other half first")
    id = re.search(r"[0-9A-Fa-f]{32}", out).group()
    r.evo("ack", "ack", id)
    r.evo("ack-again", "ack", id)
    r.evo("direct-status", "direct-status", id)
    r.evo("config-show", "config", "show", "--json")
    r.files("end", "meta.json", "run_0000/*.json", "run_0000/experiments/*/result.json", "run_0000/experiments/*/attempts/*/*.json",
            "run_0000/experiments/*/attempts/*/traces/*", "run_0000/experiments/*/checks/*/*.json",
            "run_0000/experiments/*/artifacts/discarded/manifest.json", "run_0000/inject/events/*")
    r.write()


def low8(bin):
    r = Recording("v08-min", bin, "evo-hq-cli 0.8.0, metric min, pool backend, tracked-only.")
    r.start(answer(10))
    for slot in ("one", "two"):
        r.sh(f"git clone -q . ../{slot}")
    r.evo("init", "init", "--target", "answer.sh", "--benchmark", "sh {target}", "--metric", "min", "--host", "codex",
          "--per-exp-timeout", "60", "--commit-strategy", "tracked-only", "--gate", "sh -n {target}")
    r.evo("backend", "config", "backend", "pool", "--workspaces", f"{r.base}/one,{r.base}/two")
    base, _ = r.new("root", "measure the base")
    r.evo("run-baseline", "run", base)
    less, made = r.new(base, "less", answer(9.5))
    r.evo("workspace-status", "workspace", "status", "--json")
    (Path(made["worktree"]) / "notes.txt").write_text("x\n")
    r.evo("run-untracked-error", "run", less)
    r.evo("run-committed", "run", less, "--i-staged-new-files", "yes")
    same, _ = r.new(less, "the same", answer(9.5) + "# as good\n")
    r.evo("run-tie", "run", same, "--i-staged-new-files", "yes")
    more, _ = r.new(same, "more", answer(11))
    r.evo("run-regressed", "run", more, "--i-staged-new-files", "yes")
    r.evo("frontier", "frontier", "--strategy", "top_k")
    r.evo("status", "status")
    r.evo("tree", "tree")
    r.evo("scratchpad", "scratchpad")
    r.files("end", "meta.json", "run_0000/*.json", "run_0000/backend_state/*.json", "run_0000/experiments/*/result.json",
            "run_0000/experiments/*/attempts/*/*.json")
    r.write()


def main3(bin):
    r = Recording("v03", bin, "evo-hq-cli 0.3.3, metric max.")
    r.start(answer(0.5, a=0.5, b=0.5))
    r.evo("version", "--version")
    r.evo("init", "init", "--target", "answer.sh", "--benchmark", "sh {target}", "--metric", "max", "--host", "claude-code")
    base, _ = r.new("root", "measure the base")
    r.evo("run-baseline", "run", base)
    r.evo("gate-add", "gate", "add", base, "--name", "syntax", "--command", "sh -n {target}")
    up, _ = r.new(base, "raise a", answer(0.75, a=1, b=0.5))
    r.evo("run-committed", "run", up)
    down, _ = r.new(base, "lower", answer(0.1, a=0.1, b=0.1))
    r.evo("run-regressed", "run", down)
    r.evo("discard", "discard", down, "--reason", "worse")
    fail, _ = r.new(up, "break", "exit 7\n")
    r.evo("run-failed", "run", fail)
    r.evo("annotate", "annotate", up, "a", "task a is solved")
    r.evo("infra", "infra", "-m", "new grader", "--breaking")
    r.evo("frontier", "frontier", "--seed", "0")
    r.evo("status", "status")
    r.evo("tree", "tree")
    r.files("end", "meta.json", "run_0000/*.json", "run_0000/experiments/*/result.json", "run_0000/experiments/*/attempts/*/*.json")
    r.write()


if __name__ == "__main__":
    only = sys.argv[3:] or ["main8", "low8", "main3"]
    for name in only:
        {"main8": main8, "low8": low8, "main3": main3}[name](sys.argv[2] if name == "main3" else sys.argv[1])
