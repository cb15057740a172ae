import type { Identity } from './selfSigned.ts';

/** Creates a key and a self-signed certificate for the addresses of this machine. Random, and by the clock of the host. */
export async function makeIdentity(): Promise<Identity> {
  // Only TLS needs it, and it loads slowly. A bundle knows the names of a module of its own, but not of a CommonJS package.
  const { generateIdentity } = await import('./selfSigned.ts');
  return generateIdentity();
}
