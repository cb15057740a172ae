import { listed } from '../../semantics/values/listed.ts';
import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}

export function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}

const MOST_NAMED = 5;

/** The first of many names: `pay, shop and 3 more` */
export function firstOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).map((each) => shorten(each, 80));
  return listed(more > 0 ? [...shown, `${more} more`] : shown, 'and');
}

/** Claims that are deleted with their pods: `2 volume claims are deleted with them (data-web-4, data-web-3): the data is lost`. */
export function claimsLost({ claims, pods, names }: { claims: number; pods: number; names: string }): string {
  const shown = names === '' ? '' : ` (${shorten(names, 200)})`;
  return `${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}${shown}: the data is lost`;
}
