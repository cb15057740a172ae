import { createHash } from 'node:crypto';

/** The alphabet of names that Kubernetes and OpenKruise generate: no vowels, and no digit that looks like a letter. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;
/** The longest name that Kubernetes generates. */
const LONGEST = 63;

/** Five characters of a hash of a text, so that they are the same after a crash. */
export function nameSuffix(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest();
  let suffix = '';
  for (let i = 0; i < LENGTH; i++) suffix += ALPHABET[bytes.readUInt16BE(i * 2) % ALPHABET.length] ?? '';
  return suffix;
}

/** The name that begins with a `generateName`, which is cut as Kubernetes cuts it. */
export function generatedName(generateName: string, seed: string): string {
  return generateName.slice(0, LONGEST - LENGTH) + nameSuffix(seed);
}
