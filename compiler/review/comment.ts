import { problemsMarkdown, refusalsMarkdown } from './problems-markdown.ts';
import { groupedMarkdown, MOST_CHARACTERS } from './markdown.ts';
import type { Review } from './read-review.ts';
import { forMarkdown } from '../text/escape.ts';

/** A comment on a change: why its check could not be made or failed, then what it changes, if that is known. It fits into a comment on GitHub, and no line of it is cut. */
export function commentMarkdown({ title, groups, problems, refusals, isKnown }: Review): string {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const failed = errors.length === 0 ? '' : `# The check failed\n\n${problemsMarkdown(errors)}\n`;
  if (!isKnown) {
    const reason =
      refusals.length === 0 && failed === '' ? `${forMarkdown(title)}\n` : refusalsMarkdown(refusals);
    const refused =
      reason === '' ? '' : `# The check could not be made\n\n${reason}${failed === '' ? '' : '\n'}`;
    return `${refused}${failed}\nWhat changes is known once this is mended.\n`;
  }
  if (groups.length === 0) return `${failed}# ${forMarkdown(title)}\n`;
  return `${failed}${groupedMarkdown(forMarkdown(title), groups, MOST_CHARACTERS - failed.length)}`;
}
