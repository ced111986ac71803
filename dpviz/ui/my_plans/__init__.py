"""The page of saved plans: where each stands, its versions, and the projects that plans are shared with."""
