import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleKruise } from '../cli/world/bundle.ts';
import { type Shown, withoutChance } from '../cli/world/session.ts';
import { findBinaries } from '../e2e/binaries.ts';
import { sampled } from '../lanes.ts';
import { commandsOf, pages } from './pages.ts';
import { createShell, type Shell } from './shell.ts';
import {
  awaitingApproval,
  cloneInto,
  committedPlan,
  kustomized,
  ofKubernetes,
  openKruise,
  packaged,
  prepare,
  sandbox,
} from './world.ts';

const kubectl = findBinaries().at(-1)?.path;
const scratch = mkdtempSync(join(tmpdir(), 'kruise-docs-'));
let kruise = '';
beforeAll(async () => {
  kruise = await bundleKruise(join(scratch, 'program'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Prepare = (shell: Shell, folder: string) => Promise<void>;

/** What is there before the commands of a page are typed; without an entry, a clone alone. */
const worlds: Readonly<Record<string, Prepare>> = {
  'README.md': (shell, folder) => sandbox(shell, folder, '--no-runtime --quiet'),
  'docs/getting-started.md': packaged,
  'docs/how-to/held.md': awaitingApproval,
  'docs/how-to/follow.md': awaitingApproval,
  'docs/how-to/approve.md': async (shell, folder) => {
    await awaitingApproval(shell, folder);
    await prepare(shell, 'cd examples/approval/2-nginx-1.27');
  },
  'docs/how-to/pause-or-abort.md': awaitingApproval,
  'docs/how-to/go-back.md': async (shell, folder) => {
    await awaitingApproval(shell, folder);
    await committedPlan(shell, folder);
    await prepare(shell, 'cp -r ../approval/1-nginx-1.25/manifests .');
  },
  'docs/how-to/break-glass.md': awaitingApproval,
  'docs/how-to/resume.md': async (shell, folder) => {
    await awaitingApproval(shell, folder);
    await prepare(shell, 'kruise pause CloneSet/web -n shop');
    await committedPlan(shell, folder);
  },
  'docs/how-to/plan-again.md': committedPlan,
  'docs/how-to/ci.md': committedPlan,
  'docs/how-to/helm-and-kustomize.md': kustomized,
  'docs/how-to/from-kubernetes.md': ofKubernetes,
  'docs/how-to/from-openkruise.md': openKruise,
  'docs/install.md': (shell, folder) =>
    sandbox(shell, folder, '--no-runtime --load examples/approval/1-nginx-1.25 --quiet'),
  'docs/metrics.md': (shell, folder) => sandbox(shell, folder, '--no-runtime --quiet'),
  'docs/gitops.md': (shell) => prepare(shell, 'cd "$HOME"'),
  'docs/kubelet.md': (shell, folder) => sandbox(shell, folder, '--no-runtime --nodes 0 --quiet'),
  'examples/approval/README.md': (shell) => prepare(shell, 'cd examples/approval'),
  'examples/budget/README.md': (shell) => prepare(shell, 'cd examples/budget'),
  'examples/spread/README.md': (shell) => prepare(shell, 'cd examples/spread'),
  'examples/counter/README.md': (shell) => prepare(shell, 'cd examples/counter'),
  'examples/every-minute/README.md': (shell) => prepare(shell, 'cd examples/every-minute'),
  'examples/hot-upgrade/README.md': (shell) => prepare(shell, 'cd examples/hot-upgrade'),
  'examples/node-repair/README.md': (shell) => prepare(shell, 'cd examples/node-repair'),
  'examples/nodes/README.md': (shell) => prepare(shell, 'cd examples/nodes'),
  'examples/ordinals/README.md': (shell) => prepare(shell, 'cd examples/ordinals'),
  'examples/partition/README.md': (shell) => prepare(shell, 'cd examples/partition'),
  'examples/zones/README.md': (shell) => prepare(shell, 'cd examples/zones'),
  'examples/pull-first/README.md': (shell) => prepare(shell, 'cd examples/pull-first'),
  'examples/pull-to-pods/README.md': (shell) => prepare(shell, 'cd examples/pull-to-pods'),
  'examples/resize/README.md': (shell) => prepare(shell, 'cd examples/resize'),
  'examples/restart-sidecar/README.md': (shell) => prepare(shell, 'cd examples/restart-sidecar'),
  'examples/sidecar-canary/README.md': (shell) => prepare(shell, 'cd examples/sidecar-canary'),
  'examples/sidecar/README.md': (shell) => prepare(shell, 'cd examples/sidecar'),
};

/** What has to be done by hand before a command, as the page says in words. */
const byHand: readonly [RegExp, string][] = [
  [/^kubectl apply --server-side -k deploy(\/overlays\/full)?$/, 'cd "$HOME/clone"'],
  [
    /^kubectl delete statefulsets\.apps\.kruise\.io /,
    "sed -i 's|apps.kruise.io/v1beta1|apps/v1|' manifests/web.yaml",
  ],
  [/--base origin\/main~1$/, 'git checkout --quiet -- .'],
  [
    /^kruise plan --continue$/,
    'git checkout --quiet -- . && sed -i "s/maxUnavailable: 2/maxUnavailable: 4/" manifests/web.yaml',
  ],
  // A plan that was made and not applied is not the one that runs.
  [/^kruise revert CloneSet\/web -n shop$/, 'git checkout --quiet -- . 2>/dev/null || true'],
];

/** What no test can type, each with the reason. */
const untyped: readonly [RegExp, string][] = [
  [/^npm (ci|run build)$/, 'the program is built once for all pages'],
  [/^npm run demo$/, 'test/demo plays it, and compares what README shows of it'],
  [/^alias kruise=/, 'a shell script of that name stands for it'],
  [
    /HOST\/OWNER\/REPOSITORY/,
    'the repository is not published; test/deploy/install.test.ts applies the folder',
  ],
  [/^docker /, 'needs Docker; test/deploy/image.test.ts reads the Dockerfile'],
  [
    /--force-conflicts -k \.$/,
    'needs a kustomization of the reader; test/deploy/install.test.ts applies one',
  ],
  [/^git revert --no-edit COMMIT$/, 'test/cli/git/continued.test.ts types it, and what a check prints then'],
  [/^kubectl .* logs /, 'no container runs in the sandbox'],
  [/^kruise break-glass /, 'needs a terminal and admission policies; test/cli/rollout/consequence.test.ts'],
];

/** What runs until Ctrl-C, and what it prints when it works. */
const running: readonly [RegExp, RegExp][] = [
  [/^(npx )?kruise sandbox\b/, /Ctrl-C/],
  [/^kruise kubelet\b/, /is ready/],
  [/^kruise run\b/, /"level":"info"/],
];

/** What a reader replaces by something of their own. */
function filledIn(command: string): string {
  return command
    .replace('--kubeconfig FILE', '--kubeconfig "$KUBECONFIG"')
    .replace(/^kruise run\b/, 'kruise run --port 0');
}

const typed = pages().flatMap((path) => {
  const commands = commandsOf(path);
  return commands.length === 0 ? [] : [[path, commands] as const];
});

const FIRST = 'README.md';
/** The page that is read first, and some of the others. */
const drawn = [
  ...typed.filter(([path]) => path === FIRST),
  ...sampled(
    'docs/commands',
    typed.filter(([path]) => path !== FIRST),
    6,
  ),
];

describe.skipIf(kubectl === undefined)('each command of a page prints what the page says', () => {
  test.concurrent.each(drawn)('%s', { timeout: 240_000 }, async (path, commands) => {
    const folder = mkdtempSync(join(scratch, 'page-'));
    cloneInto(folder);
    const shell = createShell(folder, {
      kruise: `exec "${process.execPath}" "${kruise}" "$@"`,
      kubectl: `exec "${kubectl}" "$@"`,
    });
    try {
      await worlds[path]?.(shell, folder);
      await type(shell, commands);
    } finally {
      shell.close();
    }
  });

  test('what is not typed is there, and has a reason', () => {
    const all = typed.flatMap(([, commands]) => commands.map(({ command }) => command));
    expect(untyped.filter(([pattern]) => !all.some((command) => pattern.test(command)))).toEqual([]);
    expect(Object.keys(worlds).filter((path) => !typed.some(([each]) => each === path))).toEqual([]);
    expect(all.length).toBeGreaterThan(60);
  });
});

/** Types the commands of a page, one after the other, and compares what they print. */
async function type(shell: Shell, commands: readonly Shown[]): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  for (const { command, output } of commands) {
    if (untyped.some(([pattern]) => pattern.test(command))) continue;
    await prepare(shell, ...byHand.filter(([pattern]) => pattern.test(command)).map(([, first]) => first));
    const ready = running.find(([pattern]) => pattern.test(command))?.[1];
    let printed: string;
    if (ready === undefined) {
      const { out, code } = await shell.run(filledIn(command));
      expect(code, `${command}\n${out}`).toBe(0);
      printed = out;
    } else {
      const { out, interrupt } = await shell.start(filledIn(command), ready);
      expect(out, command).toMatch(ready);
      // npm ends by the signal itself, whatever the program that it has started does.
      const codes = command.startsWith('npx ') ? [0, 130] : [0];
      ends.push(async () => expect(codes, command).toContain(await interrupt()));
      printed = out;
    }
    if (output !== '')
      expect(`$ ${command}\n${comparable(printed)}`).toBe(`$ ${command}\n${comparable(output)}`);
  }
  for (const end of ends) await end();
}

/** Text without what is another one each time. Rows of pods come in the order of names that are drawn. */
function comparable(text: string): string {
  const [head = '', ...rows] = text.replace(/\n$/, '').split('\n');
  const sorted = head.startsWith('NAME ')
    ? [head, ...rows.map((row) => row.replace(/^(\w+)-\w{5}\b/, '$1-NAME')).sort()].join('\n')
    : text.replace(/\n$/, '');
  return (
    // A terminal shows it first; here standard error comes after standard output. A commit may end like an age.
    withoutChance(sorted.replace(/^base: main, at [0-9a-f]{12}\n/m, ''))
      .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
      .replace(/h1:([0-9a-f]{32}|…)/g, 'HASH')
      .replace(/^(.*?(?:\d+[dhms])+)(?=  )/gm, (row) => row.replace(/(?:\d+[dhms])+$/, 'AGE'))
  );
}
