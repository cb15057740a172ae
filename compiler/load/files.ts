import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { HostError } from '../host.ts';
import type { Host } from '../host.ts';
import { byText } from '../text/order.ts';

export interface FoundFile {
  path: string;
  /** Named on the command line: read whatever it is called. */
  named: boolean;
}

const MANIFEST_NAME = /\.(ya?ml|json)$/i;
const NO_MANIFEST = new Set(['kustomization.yaml', 'kustomization.yml', 'kruise.yaml', 'kruise.yml']);

/** Joins two paths with `/` and resolves `.` and `..`; an absolute second one stands alone. */
export function joinPath(base: string, path: string): string {
  const joined = path.startsWith('/') ? path : `${base}/${path}`;
  const parts: string[] = [];
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** A path given by a person, from the working directory. */
export function fromCwd(host: Pick<Host, 'cwd'>, path: string): string {
  return joinPath(host.cwd, path);
}

/** The path as a reader of the terminal would write it. */
export function shownPath(host: Pick<Host, 'cwd'>, path: string): string {
  return path !== host.cwd && isInside(path, host.cwd)
    ? path.slice(host.cwd === '/' ? 1 : host.cwd.length + 1)
    : path;
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/**
 * The manifests under a path, sorted: `*.yaml`, `*.yml` and `*.json` of all folders but hidden ones, `node_modules`
 * and `skip` (the plans). Links are followed as long as they stay inside `root` and do not lead back; others are errors, because they could
 * hide a manifest.
 */
export function findFiles(
  host: Host,
  root: string,
  start: string,
  skip: string,
): { files: FoundFile[]; diagnostics: Diagnostic[] } {
  const files: FoundFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const rootReal = host.inspect(root)?.real ?? root;

  function enter(folder: string, above: readonly string[]): void {
    let entries;
    try {
      entries = host.list(folder);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, folder), reason: error.reason }));
      return;
    }
    for (const entry of [...entries].sort((a, b) => byText(a.name, b.name))) {
      const path = joinPath(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || path === skip) continue;
      if (entry.kind === 'other' || (entry.kind === 'file' && !isManifestName(entry.name))) continue;
      if (entry.kind === 'dangling') {
        // Without an end to its name it could be a folder of manifests as well.
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
  if (found === undefined) diagnostics.push(diagnostic('KR1017', { path: shownPath(host, start) }));
  else if (found.kind === 'folder') enter(start, [found.real]);
  else files.push({ path: start, named: true });
  return { files, diagnostics };
}

function isManifestName(name: string): boolean {
  return MANIFEST_NAME.test(name) && !NO_MANIFEST.has(name);
}
