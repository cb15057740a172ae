import { createHash } from 'node:crypto';

/** The hash of a text as the policy of a page names it. */
export function pageHash(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
