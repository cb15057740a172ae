import type { Finding } from '../../compiler/committed/finding.ts';
import { diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { HostError } from '../../compiler/host.ts';
import type { CompilerHost, FileChange } from '../../compiler/host.ts';
import { LIMITS } from '../../compiler/load/limits.ts';
import { readPlan } from '../../compiler/plan/read-plans.ts';
import { boundaryOf, outsideLink, shownPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';
import { countText } from '../../semantics/values/text.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import type { Host } from '../host.ts';

/**
 * What a run that writes reports besides: plans that it must not replace, and edits that it overwrites.
 *
 * @param index what head is read from, if that is the index: the files may have edits that are not staged
 */
export function overwritten(
  host: Host,
  index: CompilerHost | undefined,
  findings: readonly Finding[],
): Diagnostic[] {
  return findings.flatMap(({ path, problem }) => {
    if (problem?.code === 'KR3014') return [problem];
    const isEdited = problem?.code === 'KR3001' || problem?.code === 'KR3002' || problem?.code === 'KR3023';
    const isLost = isEdited || (index !== undefined && isUnstagedEdit(host, index, path));
    if (!isLost) return [];
    const text = textAt(host, path) ?? '';
    const isConflict = CONFLICT.every((line) => line.test(text));
    return [diagnostic('KR3010', { path: shownPath(host, path), isConflict })];
  });
}

/** The first line of a conflict that git left, and the one between its two sides. */
const CONFLICT = [/^<{7} /m, /^={7}\r?$/m];

/** Whether a file is a plan that was edited since it was staged. */
function isUnstagedEdit(host: Host, index: CompilerHost, path: string): boolean {
  const text = path.endsWith('/plan.yaml') ? textAt(host, path) : undefined;
  if (text === undefined || text === textAt(index, path)) return false;
  return readPlan({ file: path, text }).plan === undefined;
}

function textAt(host: CompilerHost, path: string): string | undefined {
  if (host.inspect(path)?.kind !== 'file') return undefined;
  try {
    return new TextDecoder().decode(host.readFile(path, LIMITS.fileBytes));
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** Writes the files, removes obsolete ones last, and lists both. False if that fails: then nothing is written. */
export function writeFiles(host: Host, findings: readonly Finding[], { root, plans }: State): boolean {
  if (findings.length === 0) return true;
  try {
    // The loader checks the root as well, but the root may have become a link since.
    const out = outsideLink(host, root, boundaryOf(host, root, host.cwd));
    if (out !== undefined) throw new HostError(`the link ${shownPath(host, out.link)} leads ${out.target}`);
    const files = findings.map(({ path, text }) => ({ path, text }));
    host.write([...files, ...keptFolder(host, plans, files)], root);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const where = forTerminal(`${shownPath(host, plans)}: ${error.reason}`);
    host.stderr(`kruise plan: the plans cannot be written to ${where}\n`);
    return false;
  }
  listFiles(host, findings, 'wrote', 'removed');
  return true;
}

/**
 * The file that keeps the folder of plans when its last file is removed: git has no empty folders, and Argo CD syncs nothing of
 * an Application with a path that does not exist.
 */
function keptFolder(host: Host, plans: string, files: readonly FileChange[]): FileChange[] {
  if (files.some(({ text }) => text !== undefined)) return [];
  const removed = new Set(files.map(({ path }) => path));
  const isEmptied = (folder: string, depth: number): boolean =>
    host.list(folder, LIMITS.entries).every(({ name, kind }) => {
      const path = `${folder}/${name}`;
      return kind === 'folder' ? depth > 0 && isEmptied(path, depth - 1) : removed.has(path);
    });
  // A plan lies two folders below: plans/NAMESPACE/TARGET/plan.yaml.
  return host.inspect(plans)?.kind === 'folder' && isEmptied(plans, 2)
    ? [{ path: `${plans}/.gitkeep`, text: '' }]
    : [];
}

/** Up to this many files are all listed. */
const MOST_LISTED = 20;
/** Of more, so many: what the run printed before is to stay on the screen. */
const FEW_LISTED = 5;

/** Lists files, those to remove with the reason. Where not all are listed, these come first. */
export function listFiles(host: Host, findings: readonly Finding[], wrote: string, removed: string): void {
  const listed =
    findings.length <= MOST_LISTED
      ? findings
      : [
          ...findings.filter(({ text }) => text === undefined),
          ...findings.filter(({ text }) => text !== undefined),
        ].slice(0, FEW_LISTED);
  for (const { path, text, why } of listed) {
    const reason = why === undefined ? '' : `: ${why}`;
    host.stderr(
      `${forTerminal(`${text === undefined ? removed : wrote} ${shownPath(host, path)}${reason}`)}\n`,
    );
  }
  const more = findings.length - listed.length;
  if (more > 0) host.stderr(`… and ${countText(more, 'more file')}\n`);
}
