import { countText } from '../../semantics/values/text.ts';
import { shorten } from '../text/escape.ts';

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}

export function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}

/** Claims that are deleted with their pods: `2 volume claims are deleted with them (data-web-4, data-web-3): the data is lost`. */
export function claimsLost({ claims, pods, names }: { claims: number; pods: number; names: string }): string {
  const shown = names === '' ? '' : ` (${shorten(names, 200)})`;
  return `${countText(claims, 'volume claim is', 'volume claims are')} deleted with ${pods === 1 ? 'it' : 'them'}${shown}: the data is lost`;
}
