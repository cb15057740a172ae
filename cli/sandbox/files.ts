import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Refusal } from '../command/refusal.ts';
import { shellPath } from '../../compiler/text/shell-word.ts';
import { diagnostic, sortDiagnostics } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { findFiles, joinPath, shownPath } from '../../compiler/load/files.ts';
import { isObject } from '../../compiler/load/identity.ts';
import type { Origin } from '../../compiler/load/locate.ts';
import { toolFolder } from '../../compiler/load/tool-folders.ts';
import type { ToolFolder } from '../../compiler/load/tool-folders.ts';
import { decode } from '../../compiler/load/parse.ts';
import { readYaml } from '../../compiler/load/read.ts';
import { byText } from '../../compiler/text/order.ts';
import type { NamedPath } from './options.ts';

/** An object of a file, to be applied. */
export interface Loadable {
  /** The content of a document: an object if it is a manifest. */
  value: JsonObject[string];
  at: Origin;
}

/** What was found under the paths of `--load`. */
export interface Loadables {
  objects: Loadable[];
  files: number;
  diagnostics: Diagnostic[];
  /** Paths without anything to apply, and what to do instead. */
  refusals: Refusal[];
  /** Warnings about folders whose files need a tool such as kustomize to be complete. */
  notes: string[];
}

/** Reads every document of every file, and reports the problems of all of them. */
export function readLoadables(host: Host, paths: readonly NamedPath[]): Loadables {
  const diagnostics: Diagnostic[] = [];
  const refusals: Refusal[] = [];
  const read = new Map<string, FileRead>();
  const folders = new Set<string>();
  for (const { path, shown } of paths) {
    const isFolder = host.inspect(path)?.kind === 'folder';
    const source = isFolder ? sourceFolder(host, path, shown) : undefined;
    if (source !== undefined) {
      refusals.push(source);
      continue;
    }
    const found = findFiles(host, isFolder ? path : host.cwd, path, {});
    diagnostics.push(...found.diagnostics);
    const files = found.files.map((each) => each.path).sort(byText);
    for (const file of files) {
      if (!read.has(file)) read.set(file, readObjects(host, file));
      if (isFolder && joinPath(file, '..') !== path) folders.add(joinPath(file, '..'));
    }
    const isSound =
      found.diagnostics.length === 0 && files.every((file) => read.get(file)?.diagnostics.length === 0);
    if (!isSound || files.some((file) => (read.get(file)?.objects.length ?? 0) > 0)) continue;
    const help = 'only files ending in .yaml, .yml or .json are read, in this folder and below';
    refusals.push(
      files.length === 0
        ? { problem: `${shown} contains no manifests`, help }
        : {
            problem: `${shown} contains no Kubernetes object`,
            help: 'name a file or folder with Kubernetes objects',
          },
    );
  }
  const all = [...read.values()];
  const notes = [...folders]
    .map((folder) => [shownPath(host, folder), toolAt(host, folder)] as const)
    .filter(([, tool]) => tool?.what === 'a kustomization')
    .map(([folder]) => `${folder} is a kustomization; its files are loaded without it`);
  return {
    objects: all.flatMap(({ objects }) => objects),
    files: read.size,
    diagnostics: sortDiagnostics([...diagnostics, ...all.flatMap((each) => each.diagnostics)]),
    refusals,
    notes: notes.sort(byText),
  };
}

interface FileRead {
  objects: Loadable[];
  diagnostics: Diagnostic[];
}

function readObjects(host: Host, path: string): FileRead {
  let bytes;
  try {
    bytes = host.readFile(path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const unreadable = diagnostic('KR1001', { path: shownPath(host, path), reason: error.reason });
    return { objects: [], diagnostics: [unreadable] };
  }
  const { source, diagnostics: undecodable } = decode(shownPath(host, path), bytes);
  const { documents, diagnostics } = readYaml(source);
  return {
    objects: documents.flatMap(({ value, at }) => objectsIn(value, { source, at, path: [] })),
    diagnostics: [...undecodable, ...diagnostics, ...documents.flatMap((each) => each.findings.list())],
  };
}

/** Refuses a folder whose files are the input of a tool that renders manifests; undefined for a folder of manifests. */
function sourceFolder(host: Host, path: string, shown: string): Refusal | undefined {
  const tool = toolAt(host, path);
  return tool === undefined
    ? undefined
    : {
        problem: `${shown} is ${tool.what}, not a folder of manifests`,
        help: `build it first: ${tool.command} ${shellPath(shown)} > all.yaml, then --load all.yaml`,
      };
}

function toolAt(host: Host, folder: string): ToolFolder | undefined {
  try {
    return toolFolder(host, host.list(folder));
  } catch (error) {
    // What cannot be listed is reported where its files are looked for.
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** The objects of a document: none if it is empty; the items of a List. */
function objectsIn(value: unknown, at: Origin): Loadable[] {
  if (value === null || value === undefined) return [];
  const { kind, items } = isObject(value as JsonObject) ? (value as JsonObject) : {};
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items))
    return [{ value: value as JsonObject[string], at }];
  return items.flatMap((item, index) =>
    objectsIn(item, { ...at, path: [...at.path, 'items', String(index)] }),
  );
}
