import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { HostError, TooMuch } from '../host.ts';
import type { CompilerHost, Entry } from '../host.ts';
import { byText } from '../text/order.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { bounded } from './findings.ts';
import { enclosingTool, toolFolder } from './tool-folders.ts';
import type { ToolFolder } from './tool-folders.ts';
import { shellPath } from '../text/shell-word.ts';

export interface FoundFile {
  path: string;
  /** Named on the command line: read whatever its extension. */
  named: boolean;
}

const MANIFEST_NAME = /\.(ya?ml|json)$/i;
const NO_MANIFEST = new Set(['kustomization.yaml', 'kustomization.yml', 'kruise.yaml', 'kruise.yml']);

/** Joins two paths with `/` and resolves `.` and `..`; returns an absolute second path alone. */
export function joinPath(base: string, path: string): string {
  const joined = path.startsWith('/') ? path : `${base}/${path}`;
  // As almost all are. A name that begins with a dot is only looked at more closely.
  if (joined.startsWith('/') && !joined.includes('//') && !joined.includes('/.') && !joined.endsWith('/'))
    return joined;
  const parts: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Resolves a path of the user from the working directory. */
export function fromCwd(host: Pick<CompilerHost, 'cwd'>, path: string): string {
  return joinPath(host.cwd, path);
}

/** The path relative to the working directory, as shown to the user; of a file in git as git names it. */
export function shownPath(host: Pick<CompilerHost, 'cwd' | 'shown'>, path: string): string {
  const shown = host.shown?.(path);
  if (shown !== undefined) return shown;
  return path !== host.cwd && isInside(path, host.cwd)
    ? path.slice(host.cwd === '/' ? 1 : host.cwd.length + 1)
    : path;
}

/** The path relative to the working directory, with `..` where it lies elsewhere: a command that names it can be copied. */
export function relativePath({ cwd }: Pick<CompilerHost, 'cwd'>, path: string): string {
  const from = cwd.split('/').filter(Boolean);
  const to = path.split('/').filter(Boolean);
  const different = from.findIndex((name, index) => name !== to[index]);
  const shared = different === -1 ? from.length : different;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/') || '.';
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** The folder out of which no link may lead. */
export interface Boundary {
  folder: string;
  isRepository: boolean;
}

/** A link that leads out of a boundary: its path, and a phrase for what it leads out of. */
export interface OutsideLink {
  link: string;
  target: 'out of the repository' | 'out of the folder';
}

/**
 * The boundary of a path: the root of its git repository. Outside of git it is `folder` if the path is in it, else the
 * folder of the path, because the user has named that folder.
 */
export function boundaryOf(host: CompilerHost, path: string, folder: string): Boundary {
  const root = gitRootOf(host, path);
  if (root !== undefined) return { folder: root, isRepository: true };
  return { folder: isInside(path, folder) ? folder : joinPath(path, '..'), isRepository: false };
}

/**
 * The nearest folder at or above a path that is the root of a git repository and is not reached by a link of another one.
 * Links above the outermost repository belong to the user. A link below it may be committed, and one that leads to a folder
 * above another repository would otherwise make that repository the boundary.
 */
export function gitRootOf(host: CompilerHost, path: string): string | undefined {
  const roots: string[] = [];
  for (let folder = path; ; folder = joinPath(folder, '..')) {
    if (host.inspect(joinPath(folder, '.git')) !== undefined) roots.push(folder);
    if (folder === '/') break;
  }
  const outermost = roots.at(-1);
  if (outermost === undefined) return undefined;
  return roots.find((root) => !isLinked(host, outermost, root)) ?? outermost;
}

/** Whether the path from a folder to one below it contains a link that leads elsewhere. */
function isLinked(host: CompilerHost, from: string, to: string): boolean {
  const real = host.inspect(from)?.real ?? from;
  return host.inspect(to)?.real !== joinPath(real, `./${to.slice(from.length)}`);
}

/** The first link of a path, below its boundary, that leads out of that boundary; undefined if none does. */
export function outsideLink(
  host: CompilerHost,
  path: string,
  { folder, isRepository }: Boundary,
): OutsideLink | undefined {
  const real = host.inspect(folder)?.real ?? folder;
  let current = folder;
  for (const name of path.slice(folder.length).split('/')) {
    if (name === '') continue;
    current = joinPath(current, name);
    const found = host.inspect(current);
    if (found === undefined) return undefined;
    if (!isInside(found.real, real))
      return { link: current, target: isRepository ? 'out of the repository' : 'out of the folder' };
  }
  return undefined;
}

/**
 * The cost of listing a folder, in names. Links between folders can form a tree that doubles with every level and has few
 * files.
 */
const LISTING = 5;
/** The most nested folders, because the system resolves the whole path each time one is listed. */
const MOST_LEVELS = 200;

/** What of a folder is read. */
export interface Selection {
  /** The absolute path of a folder that is not entered. */
  skip?: string;
  /** Whether a file or folder in the path is left out. */
  ignores?: (path: string) => boolean;
  /** Whether folders of kustomize and Helm are errors; otherwise their files are read like others. */
  refusesTools?: boolean;
  /** The path was named by somebody, so folders of tools around it are errors, too. */
  isNamed?: boolean;
}

/**
 * Finds the manifests under a path, sorted: `*.yaml`, `*.yml` and `*.json` in all folders except hidden ones,
 * `node_modules` and those that are not selected. Follows links that stay inside `root` and do not form a loop; others are
 * errors, because they could hide a manifest. The path itself may be a link anywhere within its boundary.
 */
export function findFiles(
  host: CompilerHost,
  root: string,
  start: string,
  { skip, ignores = () => false, refusesTools = false, isNamed = false }: Selection,
  budget: Budget = createBudget(),
): { files: FoundFile[]; diagnostics: Diagnostic[] } {
  const files: FoundFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const rootReal = host.inspect(root)?.real ?? root;

  function enter(folder: string, above: readonly string[]): void {
    if (above.length > MOST_LEVELS) {
      const reason = `it is nested deeper than ${MOST_LEVELS} folders`;
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, folder), reason }));
      return;
    }
    budget.reading(`${shownPath(host, folder)}/`);
    let entries;
    try {
      entries = host.list(folder, budget.remaining('entries'), above.at(-1));
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (error instanceof TooMuch) return void budget.take('entries', Infinity);
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, folder), reason: error.reason }));
      return;
    }
    if (!budget.take('entries', entries.length + LISTING)) return;
    const pathOf = ({ name }: Pick<Entry, 'name'>): string => `${folder === '/' ? '' : folder}/${name}`;
    const selected = entries.filter((entry) => !ignores(pathOf(entry)));
    const tool = refusesTools ? toolFolder(host, selected) : undefined;
    if (tool !== undefined) {
      diagnostics.push(unrendered(host, folder, tool));
      return;
    }
    for (const entry of selected.sort((a, b) => byText(a.name, b.name))) {
      if (budget.exceeded !== undefined) return;
      const path = pathOf(entry);
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || path === skip) continue;
      if (entry.kind === 'other' || (entry.kind === 'file' && !isManifestName(entry.name))) continue;
      if (entry.kind === 'dangling') {
        // A name without an extension could also be a folder of manifests.
        if (isManifestName(entry.name) || !entry.name.includes('.')) {
          diagnostics.push(diagnostic('KR1015', { path: shownPath(host, path), target: 'nowhere' }));
        }
      } else if (!isInside(entry.real, rootReal)) {
        diagnostics.push(diagnostic('KR1015', { path: shownPath(host, path), target: 'out of the folder' }));
      } else if (entry.kind === 'file') {
        files.push({ path, named: false });
      } else if (above.includes(entry.real)) {
        diagnostics.push(
          diagnostic('KR1015', { path: shownPath(host, path), target: 'back to a folder above it' }),
        );
      } else {
        enter(path, [...above, entry.real]);
      }
    }
  }

  const found = host.inspect(start);
  const boundary = boundaryOf(host, start, root);
  const out = outsideLink(host, start, boundary);
  const top = boundary.isRepository || !isInside(start, host.cwd) ? boundary.folder : host.cwd;
  const isRefused = refusesTools && isNamed && out === undefined && found !== undefined;
  const around = isRefused ? enclosingTool(host, { path: start, ...found }, top, ignores) : undefined;
  if (out !== undefined)
    diagnostics.push(diagnostic('KR1015', { path: shownPath(host, out.link), target: out.target }));
  else if (found === undefined) {
    const path = shownPath(host, start);
    diagnostics.push(
      isDangling(host, start)
        ? diagnostic('KR1015', { path, target: 'nowhere' })
        : diagnostic('KR1017', { path }),
    );
  } else if (around !== undefined) diagnostics.push(unrendered(host, around.folder, around));
  else if (found.kind === 'folder') enter(start, [found.real]);
  else {
    const name = start.slice(start.lastIndexOf('/') + 1);
    const tool = refusesTools ? toolFolder(host, [{ name, kind: found.kind }]) : undefined;
    if (tool === undefined) files.push({ path: start, named: true });
    else diagnostics.push(unrendered(host, joinPath(start, '..'), tool));
  }
  // The limit is about a folder, not about a position in a file.
  return { files, diagnostics: [...bounded(diagnostics, budget), ...budget.problems()] };
}

/** The error for a folder of a tool. */
function unrendered(host: CompilerHost, folder: string, { what, command }: ToolFolder): Diagnostic {
  // The names of the objects of a chart begin with that of its release.
  const words = what === 'a Helm chart' ? `${command} RELEASE` : command;
  const path = shownPath(host, folder);
  return diagnostic('KR1028', {
    path,
    what,
    command: `${words} ${path === host.cwd ? '.' : shellPath(path)}`,
  });
}

/** Whether a link leads to nothing or to itself. */
function isDangling(host: CompilerHost, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return host.list(joinPath(path, '..')).some((entry) => entry.name === name && entry.kind === 'dangling');
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return false;
  }
}

/** Whether a file of this name is read as a manifest. */
export function isManifestName(name: string): boolean {
  return MANIFEST_NAME.test(name) && !NO_MANIFEST.has(name);
}
