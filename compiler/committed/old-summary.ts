import { diagnostic } from '../diagnostics/diagnostic.ts';
import { joinPath, shownPath } from '../load/files.ts';
import type { Committed, Finding } from './finding.ts';

/** Versions of kruise that wrote it named it so: one file for all plans of a change, in place of their forecasts. */
export const OLD_SUMMARY = 'SUMMARY.md';

const BEGINS = '# Plan: ';

/** Whether a file of that name is one of `kruise plan`. Somebody may have written another by hand. */
export function isOldSummary(text: string): boolean {
  return text.startsWith(BEGINS);
}

/** The summary that is to go: unrelated changes would collide in a file of all targets. It breaks no check. */
export function oldSummary({ head, host, read }: Pick<Committed, 'head' | 'host' | 'read'>): Finding[] {
  const path = joinPath(head.plans, OLD_SUMMARY);
  const text = host.inspect(path)?.kind === 'file' ? read(path) : undefined;
  if (text === undefined || !isOldSummary(text)) return [];
  const problem = diagnostic('KR3026', { path: shownPath(host, path) });
  return [{ path, text: undefined, problem, why: 'each plan has its own forecast' }];
}
