import type { Change } from '../plan/change.ts';
import { summary } from '../render/change-text.ts';
import { groupedPage, targetParts } from '../render/page/page.ts';
import type { Paint } from '../text/paint.ts';
import { acrossRoots } from './across-roots.ts';
import { areMany, groupsOf, type Member, type Reviewed, type ShownGroup } from './groups.ts';
import { groupedPlan } from './human.ts';
import { groupedMarkdown, MOST_CHARACTERS } from './markdown.ts';
import { compareGroups } from './order.ts';
import { pagesWithin } from './pages-within.ts';

/** What the run of one root found, as far as a review of several roots shows it. */
export interface RootReview {
  groups: readonly ShownGroup[];
  counted: { changes: readonly Pick<Change, 'action' | 'handover'>[]; atOnce: Reviewed['atOnce'] };
  /** Why its check failed, as Markdown; empty: it did not. */
  failure: string;
  /** What a page shows of each of the first members; empty where no page is asked for. */
  parts: ReadonlyMap<Member, string>;
}

/** A run keeps what it compared no longer than until its root has been printed. */
export function rootReviewOf(reviewed: Reviewed, failure: string, isPage: boolean): RootReview {
  const changes = reviewed.changes.map(({ action, handover }) => ({ action, handover }));
  const groups = groupsOf(reviewed);
  const parts = isPage ? targetParts(reviewed, groups) : new Map<Member, string>();
  return { groups, counted: { changes, atOnce: reviewed.atOnce }, failure, parts };
}

/** Whether the roots together have more changes than people read one by one. */
export function areManyInRoots(reviews: readonly RootReview[]): boolean {
  return areMany(...reviews.map(({ counted }) => counted as Reviewed));
}

/** The changes of all roots on one screen, what is alike once. The last line is a count over all roots. */
export function rootsPlan(reviews: ReadonlyMap<string, RootReview>, paint: Paint): string {
  return `${groupedPlan(groupsOfRoots(reviews), paint)}${paint('bold', summaryOf(reviews))}\n`;
}

/** The same as a page of Markdown that a comment holds. It begins with why checks failed. */
export function rootsMarkdown(reviews: ReadonlyMap<string, RootReview>): string {
  const failures = [...reviews]
    .filter(([, { failure }]) => failure !== '')
    .map(([name, { failure }]) => `# ${name}\n\n${failure.replace(/^#/gm, '##')}`);
  const before = pagesWithin(failures, MOST_CHARACTERS / 2)
    .map((page) => `${page}\n`)
    .join('');
  return `${before}${groupedMarkdown(summaryOf(reviews), groupsOfRoots(reviews), MOST_CHARACTERS - before.length)}`;
}

/**
 * The same as one page of HTML.
 *
 * @param sha256 the hash of a text as a policy names it: `sha256-` and base64
 */
export function rootsPage(
  reviews: ReadonlyMap<string, RootReview>,
  sha256: (text: string) => string,
): string {
  const parts = new Map([...reviews.values()].flatMap((review) => [...review.parts]));
  return groupedPage(summaryOf(reviews), groupsOfRoots(reviews), parts, sha256);
}

function groupsOfRoots(reviews: ReadonlyMap<string, RootReview>): ShownGroup[] {
  return acrossRoots([...reviews].map(([name, { groups }]) => ({ name, groups }))).sort(compareGroups);
}

function summaryOf(reviews: ReadonlyMap<string, RootReview>): string {
  return summary([...reviews.values()].flatMap(({ counted }) => counted.changes));
}
