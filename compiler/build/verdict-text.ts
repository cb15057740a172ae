import { countText } from '../../semantics/values/text.ts';
import { byText } from '../text/order.ts';
import type { ProtectedVerdict } from './protection.ts';
import { type LoweredVerdict, rowText, textOfNames, type Verdict } from './verdict.ts';

/** Lines that are printed; what is beyond is counted. */
const MOST_LINES = 100;

/**
 * A line for each verdict about an object of OpenKruise: how it is compiled and what is lost, or why it stays. Chosen ones that stay have
 * a warning. Texts of manifests are as they are.
 */
export function verdictLines(verdicts: readonly Verdict[]): string[] {
  const lines = verdicts
    .filter((each) => each.verdict !== 'runtime' || !each.chosen)
    .map(lineOf)
    .sort(byText);
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `and ${countText(more, 'object')} more`];
}

function lineOf(verdict: Verdict): string {
  const what = textOfNames(verdict);
  if (verdict.verdict === 'runtime') return `${what} stays: ${verdict.why.join('; ')}`;
  const { losses } = verdict;
  const lost = losses.length === 0 ? '' : `; lost: ${losses.map(rowText).join('; ')}`;
  const is = verdict.into === undefined ? builtText(verdict) : `in the template of ${verdict.into}`;
  return `${what} is ${is}, ${verdict.verdict}${lost}`;
}

/** `a Deployment`, `3 ConfigMaps` */
export function builtText({ objects }: Pick<LoweredVerdict, 'objects'>): string {
  const kind = objects[0]?.kind ?? 'object';
  return objects.length === 1 ? `a ${kind}` : countText(objects.length, kind);
}

/** `3 objects: 1 exact, 1 lowered, 1 stays` */
export function verdictSummary(verdicts: readonly Verdict[]): string {
  const count = (of: Verdict['verdict']): number => verdicts.filter(({ verdict }) => verdict === of).length;
  const all = countText(verdicts.length, 'object');
  return `${all} of OpenKruise: ${count('exact')} exact, ${count('lowered')} lowered, ${count('runtime')} for a runtime`;
}

/** A line for each object that the policy of deletion protection leaves out, after one about those that it protects. */
export function protectionLines(verdicts: readonly ProtectedVerdict[]): string[] {
  if (verdicts.length === 0) return [];
  const lossy = verdicts.filter(({ losses }) => losses.length > 0);
  const lines = lossy
    .map(
      ({ names, losses }) =>
        `${textOfNames(names)} is not protected; lost: ${losses.map(rowText).join('; ')}`,
    )
    .sort(byText);
  const more = lines.length - MOST_LINES;
  const protectedCount = verdicts.length - lossy.length;
  const what =
    protectedCount === 0
      ? 'no ValidatingAdmissionPolicy is written, as it would protect nothing from deletion'
      : `a ValidatingAdmissionPolicy and its binding protect ${countText(protectedCount, 'object')} from deletion, ${lossy.length === 0 ? 'exact' : 'lowered'}`;
  const shown = more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `and ${countText(more, 'object')} more`];
  return [what, ...shown];
}
