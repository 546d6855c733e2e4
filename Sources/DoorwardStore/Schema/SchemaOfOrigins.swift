extension Migration {
    /// Whom an invitation let in was said to be there by a rule without a name.
    static let origins = Migration(
        sql: """
            UPDATE contact_evidence SET added_by = 'invitation', added_name = (
                SELECT i.made_by FROM request r JOIN invitation i ON i.id = r.invitation
                WHERE r.account = contact_evidence.account AND r.contact = contact_evidence.contact
                ORDER BY r.id DESC LIMIT 1)
            WHERE added_by = 'rule' AND added_name IS NULL AND 'token' = (
                SELECT j.by FROM journal j WHERE j.kind = 'decided' AND j.decision = 'accept' AND j.acts = 1
                    AND j.request = (
                        SELECT max(r.id) FROM request r
                        WHERE r.account = contact_evidence.account AND r.contact = contact_evidence.contact)
                ORDER BY j.id DESC LIMIT 1);
            """
    )
}
