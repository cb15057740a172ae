import { type FileChange, HostError } from '../../compiler/host.ts';
import { forTerminal, shorten } from '../../compiler/text/escape.ts';
import { exitCode, type Run } from '../command/command.ts';
import { reportRefusal } from '../command/report.ts';
import type { Host } from '../host.ts';
import { VERSION } from '../version.ts';
import { runRaise } from './from.ts';
import { type Layout, layoutOf } from './layout.ts';
import { ATTRIBUTES, configText, githubWorkflow, gitlabPipeline, type Root, rootsOf } from './texts.ts';

const CONFIG = 'kruise.yaml';
const WORKFLOW = '.github/workflows/kruise-plans.yaml';
const PIPELINE = '.gitlab-ci.yml';

/** `kruise init`: writes what a repository of manifests needs to be planned, and prints what to type next there. */
export const runInit: Run = (host, operands, options) => {
  const refuse = (problem: string, help: string): number => {
    reportRefusal(host, 'init', { problem, help });
    return exitCode.error;
  };
  if (options['from'] !== undefined) return runRaise(host, operands, options);
  if (operands.length > 0)
    return refuse(`${operands[0] ?? ''} is one word too many`, 'run it in the folder of the manifests');
  const there = configAbove(host);
  if (there !== undefined)
    return refuse(`${there} is there already`, 'nothing was written; kruise plan uses it');
  const layout = layoutOf(host, host.cwd);
  const roots = rootsOf(layout);
  try {
    const files = filesFor(host, roots);
    if (options['dry-run'] === true)
      for (const { path, text } of files) host.stdout(`--- ${path}\n${text ?? ''}`);
    else
      host.write(
        files.map(({ path, text }) => ({ path: `${host.cwd}/${path}`, text })),
        host.cwd,
      );
    if (options['dry-run'] !== true) host.stdout(report(layout, roots, files));
    return exitCode.done;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return refuse(error.message, 'nothing was written');
  }
};

/** The `kruise.yaml` that counts here already: that of this folder or, in a repository, of one above up to its top. */
function configAbove(host: Host): string | undefined {
  const has = (path: string): boolean => host.inspect(path) !== undefined;
  if (has(`${host.cwd}/${CONFIG}`)) return CONFIG;
  const folders: string[] = [];
  for (let folder = host.cwd; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    folders.push(folder);
    if (has(`${folder}/.git`)) return folders.map((each) => `${each}/${CONFIG}`).find(has);
  }
  return undefined;
}

/** Paths relative to the working directory. */
function filesFor(host: Host, roots: readonly Root[]): FileChange[] {
  const has = (path: string): boolean => host.inspect(`${host.cwd}/${path}`) !== undefined;
  const config = configText(roots, has('node_modules/kruise'));
  return [
    { path: CONFIG, text: config },
    ...attributesOf(host, has('.gitattributes')),
    // Forges read their pipelines from the top of a repository.
    ...(has('.git') ? pipelineOf(host, has, roots.length > 0) : []),
  ];
}

function attributesOf(host: Host, isThere: boolean): FileChange[] {
  const path = '.gitattributes';
  const before = isThere ? new TextDecoder().decode(host.readFile(`${host.cwd}/${path}`, 1024 * 1024)) : '';
  if (before.split('\n').some((line) => line.startsWith('plans/'))) return [];
  const start = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  return [{ path, text: `${start}${ATTRIBUTES}\n` }];
}

function pipelineOf(host: Host, has: (path: string) => boolean, isRendered: boolean): FileChange[] {
  const remote = remoteOf(host);
  // An existing pipeline is the team's own.
  if (/gitlab/i.test(remote))
    return has(PIPELINE) ? [] : [{ path: PIPELINE, text: gitlabPipeline(VERSION, isRendered) }];
  const isGithub = /github/i.test(remote) || has('.github');
  return isGithub && !has(WORKFLOW) ? [{ path: WORKFLOW, text: githubWorkflow(VERSION, isRendered) }] : [];
}

/** The address of `origin`; empty: there is none. */
function remoteOf(host: Host): string {
  try {
    const { code, stdout } = host.git?.(host.cwd, ['remote', 'get-url', 'origin']) ?? {
      code: 1,
      stdout: new Uint8Array(),
    };
    return code === 0 ? new TextDecoder().decode(stdout) : '';
  } catch (error) {
    if (error instanceof HostError) return '';
    throw error;
  }
}

function report({ plain, isCut }: Layout, roots: readonly Root[], files: readonly FileChange[]): string {
  const paths = files.map(({ path }) => path);
  const found = [
    ...plain.map((path) => `manifests in ${path === '.' ? 'this folder' : `${path}/`}`),
    ...roots.flatMap(({ path, by }) => foundText(path, by) ?? []),
  ].map((text) => forTerminal(shorten(text, 200)));
  const isRendered = roots.length > 0;
  const render = isRendered ? ' --allow-render' : '';
  const edits = [
    ...(isRendered && plain.includes('.')
      ? ['Move the manifests beside it into a folder, and list that under roots.']
      : []),
    ...(roots.some(({ by }) => by === 'helm')
      ? [`Add namespace and values of each release to its command in ${CONFIG}.`]
      : []),
    ...(paths.some((path) => path === WORKFLOW || path === PIPELINE)
      ? ['Say in the pipeline where you keep kruise.']
      : []),
    `Who may change ${CONFIG} changes how everybody rolls out: name an owner, such as "/${CONFIG} @platform" in CODEOWNERS.`,
  ];
  return `${[
    found.length === 0 ? 'Found no manifest of apps.kruise.io yet.' : `Found ${listed(found)}.`,
    ...(isCut ? ['There are more folders than were looked into.'] : []),
    `Wrote ${listed(paths)}.`,
    '',
    ...edits,
    '',
    ...(found.length === 0 ? stepsOfEmpty(paths) : stepsOf(paths, render)),
  ].join('\n')}\n`;
}

function stepsOf(written: readonly string[], render: string): string[] {
  return [
    'What runs already needs no plan: the next change of a manifest gets the first one. Type:',
    '',
    `  kruise validate${render}`,
    commitLine(written),
    `  # edit a manifest, then`,
    `  kruise plan${render}`,
  ];
}

/** Before there is a manifest, nothing can be validated. */
function stepsOfEmpty(written: readonly string[]): string[] {
  return [
    'A new workload needs no plan: the first change of its manifest gets one. Type:',
    '',
    commitLine(written),
    '  # write a manifest of apps.kruise.io, then',
    '  kruise validate',
  ];
}

function commitLine(written: readonly string[]): string {
  return `  git add ${written.join(' ')} && git commit -m "Plan rollouts"`;
}

function foundText(path: string, by: Root['by']): string | undefined {
  switch (by) {
    case undefined:
      return undefined;
    case 'helm':
      return `a chart in ${path}`;
    case 'kustomize':
      return `a kustomization in ${path}`;
  }
}

const MOST_LISTED = 10;

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_LISTED);
  const more = texts.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
