// Addresses of pages: of the installation of the target, however its host is written, or of another one.
import { expect, it } from 'vitest'
import { foreignPage } from '../../src/core/assemble/select-declarations.ts'

it.each([
  ['https://svc.example.com/db/1', 'https://svc.example.com:443'],
  ['https://SVC.example.com:443/db/1', 'https://svc.example.com/context'],
  ['https://büro.example.com/db/1', 'https://xn--bro-hoa.example.com'],
  ['/db/1', 'https://svc.example.com'],
])('%s is of %s', (url, baseUrl) => expect(foreignPage(url, baseUrl, 'test')).toBeUndefined())

it.each(['https://svc.example.com:8443/db/1', '//other.example.com/db/1', 'https://svc.example.com.evil.example/db/1'])(
  '%s is of another installation',
  (url) => expect(foreignPage(url, 'https://svc.example.com', 'test')).toContain('another installation'),
)

it('is told for the ten thousandth address as for the first', () => {
  const foreign = Array.from({ length: 10_000 }, () =>
    foreignPage('https://büro.example.com/db/1', 'https://büro.example.com', 'test'),
  )
  expect(foreign.filter((message) => message !== undefined)).toEqual([])
})
