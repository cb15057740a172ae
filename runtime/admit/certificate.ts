import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../schemas/wire/clock.ts';
import { reasonOf } from '../api/file-reason.ts';

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** How often the files are read again, milliseconds. A mounted Secret is replaced as a whole, by a link. */
const READ_MS = 10_000;

export interface CertificateFiles {
  /** Undefined: there is none that can be used yet. */
  readonly current: Certificate | undefined;
  /** Why the present files cannot be used, as a sentence part; undefined: they can. */
  readonly problem: string | undefined;
  stop(): void;
}

/**
 * Watches the files `tls.crt` and `tls.key` of a folder, as a Secret of the type `kubernetes.io/tls` is mounted. Files that do not
 * fit each other are left alone: the certificate before stays in use.
 *
 * @param onChange receives each certificate that can be used, the first one too
 * @param onProblem is called when the problem changes
 */
export function watchCertificate(options: {
  folder: string;
  clock: Clock;
  onChange(certificate: Certificate): void;
  onProblem(problem: string): void;
}): CertificateFiles {
  const { folder, clock, onChange, onProblem } = options;
  let current: Certificate | undefined;
  let problem: string | undefined;
  let seen = '';
  let cancel = (): void => {};

  function look(): void {
    cancel = clock.after(READ_MS, look);
    const found = read(folder);
    if (found.seen === seen) return;
    seen = found.seen;
    ({ problem } = found);
    if (problem !== undefined) onProblem(problem);
    if (found.certificate === undefined) return;
    current = found.certificate;
    onChange(current);
  }

  look();
  return {
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    stop: () => cancel(),
  };
}

/** The files of a folder. `seen` is equal where they are. */
function read(folder: string): { seen: string; certificate?: Certificate; problem: string | undefined } {
  try {
    const cert = readFileSync(join(folder, 'tls.crt'), 'utf8');
    const key = readFileSync(join(folder, 'tls.key'), 'utf8');
    const seen = createHash('sha256').update(cert).update(key).digest('hex');
    try {
      createSecureContext({ cert, key });
      return { seen, certificate: { cert, key }, problem: undefined };
    } catch (error) {
      // The text of the library may quote the files.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'not readable';
      return { seen, problem: `tls.crt and tls.key of ${folder} do not fit each other (${code})` };
    }
  } catch (error) {
    const problem = `tls.crt and tls.key of ${folder} cannot be read: ${reasonOf(error)}`;
    return { seen: problem, problem };
  }
}
