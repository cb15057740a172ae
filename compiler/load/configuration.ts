import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { HostError } from '../host.ts';
import type { Entry, CompilerHost } from '../host.ts';
import type { CheckedRoot } from '../plan/config-part.ts';
import { readConfig } from '../plan/config.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Budget } from './budget.ts';
import { boundaryOf, gitRootOf, isInside, joinPath, shownPath, outsideLink } from './files.ts';
import type { State } from './manifests.ts';
import { readSource } from './read.ts';

export interface Configuration {
  config: KruiseConfig;
  /** Whether it is known which targets each rule matches. */
  isMatchKnown: boolean;
  /** Finds positions in kruise.yaml; undefined if there is no readable one. */
  locate: Locate | undefined;
  /** The roots that fit the schema: all, unless there is an error. */
  roots: readonly CheckedRoot[];
  /** The absolute folder of kruise.yaml; undefined if there is none. */
  folder: string | undefined;
  diagnostics: Diagnostic[];
}

const NAME = 'kruise.yaml';

/** Without a file that can be read. */
const NONE = { config: {}, isMatchKnown: false, locate: undefined, roots: [], folder: undefined } as const;

/**
 * Loads kruise.yaml from the root or the nearest folder above it: up to the root of the git repository or, outside of git,
 * up to the working directory.
 */
export function loadConfig(host: CompilerHost, root: string, budget: Budget): Configuration {
  const folders = searched(host, root);
  const boundary = boundaryOf(host, root, folders.at(-1) ?? root);
  for (const folder of folders) {
    const entries = entriesOf(host, folder, budget);
    const diagnostics: Diagnostic[] = [];
    const other = entries.find(({ name }) => name === 'kruise.yml');
    if (other !== undefined) {
      const path = shownPath(host, joinPath(folder, other.name));
      diagnostics.push(diagnostic('KR4009', { path, why: 'is not read: the configuration is kruise.yaml' }));
    }
    const found = entries.find(({ name }) => name === NAME);
    if (found === undefined && other === undefined) continue;
    if (found === undefined) return { ...NONE, diagnostics };
    const path = joinPath(folder, NAME);
    const out = outsideLink(host, path, boundary);
    if (out !== undefined) {
      // The link may lead to a private file, and a diagnostic would show one of its lines.
      diagnostics.push(diagnostic('KR1015', { path: shownPath(host, out.link), target: out.target }));
      return { ...NONE, diagnostics };
    }
    const read = readAt(host, path, found.kind, budget);
    return { ...read, diagnostics: [...diagnostics, ...read.diagnostics] };
  }
  return { ...NONE, diagnostics: [] };
}

/** The same for head, whose configuration may lower the budget of the run. */
export function loadHeadConfig(host: CompilerHost, root: string, budget: Budget): Configuration {
  const found = loadConfig(host, root, budget);
  const { budget: percent } = found.config;
  if (percent !== undefined) budget.lower(percent);
  return found;
}

/** The same for a state. One that lies in git has what git has: nothing is searched outside of it. */
export function configOfState(host: CompilerHost, { root, top }: State, budget: Budget): Configuration {
  const found = loadConfig(host, root, budget);
  const isOutside = top !== undefined && found.folder !== undefined && !isInside(found.folder, top);
  return isOutside ? { ...NONE, diagnostics: [] } : found;
}

function readAt(host: CompilerHost, path: string, kind: Entry['kind'], budget: Budget): Configuration {
  const shown = shownPath(host, path);
  if (kind !== 'file') {
    const why =
      kind === 'dangling'
        ? 'is a link that leads nowhere'
        : `is ${kind === 'folder' ? 'a folder' : 'not a file'}`;
    return { ...NONE, diagnostics: [diagnostic('KR4009', { path: shown, why })] };
  }
  const { source, diagnostics } = readSource(host, path, budget);
  if (source === undefined) return { ...NONE, diagnostics };
  return { ...readConfig(source, budget), folder: joinPath(path, '..') };
}

/** The folders in which kruise.yaml may be, the nearest first. */
function searched(host: CompilerHost, root: string): string[] {
  const upTo = (isTop: (folder: string) => boolean): string[] | undefined => {
    const folders = [root];
    let folder = root;
    while (!isTop(folder)) {
      if (folder === '/') return undefined;
      folder = joinPath(folder, '..');
      folders.push(folder);
    }
    return folders;
  };
  const repository = gitRootOf(host, root);
  if (repository !== undefined) return upTo((folder) => folder === repository) ?? [root];
  return (isInside(root, host.cwd) ? upTo((folder) => folder === host.cwd) : undefined) ?? [root];
}

function entriesOf(host: CompilerHost, folder: string, { limits }: Budget): Entry[] {
  try {
    return host.list(folder, limits.entries);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    // Checks the names instead of listing, which also works in a folder that is not listable or has too many entries.
    return [NAME, 'kruise.yml'].flatMap((name) => {
      const found = host.inspect(joinPath(folder, name));
      return found === undefined ? [] : [{ name, ...found }];
    });
  }
}
