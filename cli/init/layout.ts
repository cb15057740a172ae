import { parse } from 'yaml';
import { type CompilerHost, type Entry, HostError } from '../../compiler/host.ts';
import { toolFolder } from '../../compiler/load/tool-folders.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';

/** A folder that a tool renders. */
export interface RenderedFolder {
  /** Relative to the root of the repository; `.`: that itself. */
  path: string;
  by: 'kustomize' | 'helm';
}

/** Where the manifests of a repository are. */
export interface Layout {
  /** The folders in the root that have manifests of ours as they are; `.`: files beside it. */
  plain: readonly string[];
  /** Overlays that no other kustomization uses, and charts, by path. */
  rendered: readonly RenderedFolder[];
  /** Not every folder was looked into, as there are too many. */
  isCut: boolean;
}

/** What is looked into at most. */
const MOST_FOLDERS = 5_000;
const MOST_ENTRIES = 10_000;
const MOST_FILES = 5_000;
const MOST_BYTES = 1024 * 1024;

const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'vendor']);
const OURS = /^[ "'-]*apiVersion["']? *: *["']?(?:apps|policy)\.kruise\.io\//m;
/** In braces, as in JSON of one line. */
const OURS_IN_BRACES = /[{,] ?["']?apiVersion["']? *: *["']?(?:apps|policy)\.kruise\.io\//;

/** Looks for manifests of ours, for kustomizations and for charts below a folder. Links are not followed. */
export function layoutOf(host: CompilerHost, root: string): Layout {
  const plain = new Set<string>();
  const charts: string[] = [];
  const overlays = new Map<string, KustomizationReferences>();
  const used = new Set<string>();
  let [folders, files] = [0, 0];
  let isCut = false;

  const look = (path: string, isUnderTool: boolean): void => {
    if (folders >= MOST_FOLDERS) {
      isCut = true;
      return;
    }
    folders += 1;
    const entries = entriesOf(host, at(root, path));
    if (entries === undefined) {
      isCut = true;
      return;
    }
    const tool = toolFolder(host, entries);
    if (tool?.what === 'a Helm chart') {
      charts.push(path);
      return;
    }
    if (tool?.what === 'a kustomization') {
      const found = referencesOf(host, root, path, entries);
      if (!found.isComponent) overlays.set(path, found);
      for (const each of found.folders) used.add(each);
    }
    const isOfTool = isUnderTool || tool !== undefined;
    for (const { name, kind } of entries) {
      const below = path === '.' ? name : `${path}/${name}`;
      if (kind === 'folder' && !name.startsWith('.') && !LEFT_OUT.has(name)) look(below, isOfTool);
      if (kind !== 'file' || isOfTool || !/\.(ya?ml|json)$/.test(name)) continue;
      if (files >= MOST_FILES) isCut = true;
      else if (!plain.has(topOf(below))) {
        files += 1;
        const text = textOf(host, at(root, below)) ?? '';
        if (OURS.test(text) || OURS_IN_BRACES.test(text)) plain.add(topOf(below));
      }
    }
  };
  look('.', false);

  const rendered: RenderedFolder[] = [
    ...[...overlays.keys()]
      .filter((path) => !used.has(path))
      .map((path) => ({ path, by: 'kustomize' as const })),
    ...charts.map((path) => ({ path, by: 'helm' as const })),
  ];
  return {
    plain: [...plain].sort(compareCodePoints),
    rendered: rendered.sort((a, b) => compareCodePoints(a.path, b.path)),
    isCut,
  };
}

/** The folders that a kustomization takes, relative to the root. */
interface KustomizationReferences {
  folders: readonly string[];
  /** It is only a part of others. */
  isComponent: boolean;
}

function referencesOf(
  host: CompilerHost,
  root: string,
  path: string,
  entries: readonly Entry[],
): KustomizationReferences {
  const name = entries.find((entry) => /^kustomization(\.ya?ml)?$/i.test(entry.name))?.name ?? '';
  const text = textOf(host, at(root, path === '.' ? name : `${path}/${name}`)) ?? '';
  const parsed = parsedYaml(text);
  const listed = ['resources', 'bases', 'components'].flatMap((field) => {
    const value = parsed[field];
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  });
  return {
    folders: listed.flatMap((each) => relativeTo(path, each) ?? []),
    isComponent: parsed['kind'] === 'Component',
  };
}

function parsedYaml(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = parse(text, { maxAliasCount: 0, logLevel: 'silent' });
    return isObject(parsed) ? parsed : {};
  } catch {
    // The tool reports what is wrong with it.
    return {};
  }
}

/** A path as it is from the root; undefined: it leads out of that, or to another repository. */
function relativeTo(folder: string, path: string): string | undefined {
  if (/^[a-z]+:|^\//i.test(path)) return undefined;
  const parts = folder === '.' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? '.' : parts.join('/');
}

function topOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '.') : '.';
}

function at(root: string, path: string): string {
  return path === '.' ? root : `${root}/${path}`;
}

/** Undefined: the folder cannot be read, or has too many entries. A link is left out. */
function entriesOf(host: CompilerHost, path: string): Entry[] | undefined {
  try {
    const real = host.inspect(path)?.real ?? path;
    return host
      .list(path, MOST_ENTRIES, real)
      .filter((entry) => entry.real === `${real === '/' ? '' : real}/${entry.name}`)
      .sort((a, b) => compareCodePoints(a.name, b.name));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Undefined: the file cannot be read, or is too large. */
function textOf(host: CompilerHost, path: string): string | undefined {
  try {
    return new TextDecoder().decode(host.readFile(path, MOST_BYTES));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
