import { generate } from 'selfsigned';
import { createWallClock } from '../clock/wall.ts';

/** A key and its certificate, both as PEM. */
export interface Identity {
  key: string;
  certificate: string;
}

const DAYS = 365;

/** Creates a key and a self-signed certificate for the addresses of this machine. Random, and by the clock of the host. */
export async function generateIdentity(): Promise<Identity> {
  const now = createWallClock().now();
  const { private: key, cert: certificate } = await generate(
    [{ name: 'commonName', value: 'kruise-sandbox' }],
    {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      // Accept clients whose clock is slightly behind.
      notBeforeDate: new Date(now - 60_000),
      notAfterDate: new Date(now + DAYS * 24 * 3_600_000),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    },
  );
  return { key, certificate };
}
