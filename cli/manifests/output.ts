import type { BuiltFile } from '../../compiler/build/documents.ts';
import { HostError } from '../../compiler/host.ts';
import { type Budget, createBudget } from '../../compiler/load/budget.ts';
import { loadConfig } from '../../compiler/load/configuration.ts';
import { findFiles, isInside, joinPath, relativePath, shownPath } from '../../compiler/load/files.ts';
import { ignoredPaths } from '../../compiler/load/ignored-paths.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { countText, withoutTrailing } from '../../semantics/values/text.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Host } from '../host.ts';

/** The files of a build as one stream of documents on standard output. */
export function printFiles(host: Host, files: readonly BuiltFile[]): undefined {
  const texts = files.map(({ text }) => `${withoutTrailing(text.replace(/^---[^\S\n]*\n/, ''), '\n')}\n`);
  host.stdout(texts.filter((text) => text !== '\n').join('---\n'));
}

/** Where the files of a build are written. */
function changesOf(
  { root }: State,
  out: string,
  files: readonly BuiltFile[],
): { path: string; text: string }[] {
  return files.flatMap(({ path, text }) =>
    path === undefined ? [] : [{ path: joinPath(out, `./${path.slice(root.length)}`), text }],
  );
}

/** Manifests of the folder that are not of this build. */
function othersIn(host: Host, state: State, out: string, files: readonly BuiltFile[]): string[] {
  if (host.inspect(out) === undefined) return [];
  const own = new Set(changesOf(state, out, files).map(({ path }) => path));
  return findFiles(host, out, out, {}).files.flatMap(({ path }) => (own.has(path) ? [] : [path]));
}

const MOST_NAMES = 5;

function namesOf(host: Host, paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMES).map((path) => shownPath(host, path));
  return names.join(', ') + (paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : '');
}

/** Names manifests of the folder that are not of this build: whoever applies the folder applies them, too. */
export function reportUnbuilt(host: Host, state: State, out: string, files: readonly BuiltFile[]): void {
  const others = othersIn(host, state, out, files);
  if (others.length === 0) return;
  const verb = others.length === 1 ? 'was' : 'were';
  const text = `${shownPath(host, out)} holds ${countText(others.length, 'manifest')} that ${verb} not built now: ${namesOf(host, others)}. Delete each whose source is gone`;
  host.stderr(`kruise build: ${forTerminal(text)}\n`);
}

/** Says that plans and checks of the source read the built files, too, unless kruise.yaml ignores them: each object is there twice then. */
export function reportNotIgnored(
  host: Host,
  state: State,
  out: string,
  files: readonly BuiltFile[],
  budget: Budget,
): void {
  const configuration = loadConfig(host, state.root, budget);
  const { folder, config } = configuration;
  if (folder === undefined) return;
  const { roots = [{ path: '.' }] } = config;
  const isRead = (path: string): boolean => roots.some((root) => isInside(path, joinPath(folder, root.path)));
  if (!isRead(out) || !state.paths.some(isRead)) return;
  const ignored = ignoredPaths(configuration);
  if (changesOf(state, out, files).every(({ path }) => ignored.covering(path, '').length > 0)) return;
  const name = relativePath({ cwd: folder }, out);
  const text = `kruise plan and kruise validate read ${shownPath(host, out)}, too: add ${name} to ignore in ${shownPath(host, joinPath(folder, 'kruise.yaml'))}`;
  host.stderr(`kruise build: ${forTerminal(text)}\n`);
}

/** The folder of the kruise.yaml that counts here. */
function loadedFolder(host: Host): string | undefined {
  return loadConfig(host, host.cwd, createBudget()).folder;
}

/** Writes the files of builds below their folders, all or none. */
export function writeFiles(
  host: Host,
  folders: readonly { state: State; out: string; files: readonly BuiltFile[] }[],
): Refusal | undefined {
  if (folders.length === 0) return undefined;
  // Those of the roots of kruise.yaml may be above the working directory.
  const above = folders.find(({ out }) => !isInside(out, host.cwd));
  try {
    const changes = folders.flatMap(({ state, out, files }) => changesOf(state, out, files));
    host.write(changes, above === undefined ? host.cwd : (loadedFolder(host) ?? host.cwd));
    return undefined;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const names = folders.map(({ out }) => shownPath(host, out)).join(', ');
    return {
      problem: `${names} cannot be written: ${error.reason}`,
      help: 'nothing was written',
    };
  }
}

/** Says where a folder differs from what a build would write; false: it does not. */
export function reportDifferences(
  host: Host,
  state: State,
  out: string,
  files: readonly BuiltFile[],
): boolean {
  const changed = changesOf(state, out, files).filter(({ path, text }) => !holds(host, path, text));
  const others = othersIn(host, state, out, files);
  const verb = changed.length === 1 ? 'differs' : 'differ';
  const names = namesOf(
    host,
    changed.map(({ path }) => path),
  );
  const lines = [
    ...(changed.length === 0
      ? []
      : [`${countText(changed.length, 'file')} ${verb} from the source: ${names}`]),
    ...(others.length === 0 ? [] : [`the source of ${namesOf(host, others)} is gone`]),
  ];
  for (const line of lines) host.stderr(`kruise build: ${forTerminal(line)}\n`);
  return lines.length > 0;
}

function holds(host: Host, path: string, text: string): boolean {
  if (host.inspect(path)?.kind !== 'file') return false;
  const wanted = Buffer.from(text);
  try {
    return wanted.equals(host.readFile(path, wanted.length + 1));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return false;
  }
}
