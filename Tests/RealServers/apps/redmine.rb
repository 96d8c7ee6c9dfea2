# Fills the tables of Redmine with what issues need, and prints a key of the API.
Redmine::DefaultData::Loader.load('en')
Setting.rest_api_enabled = 1
Project.create!(name: 'News', identifier: 'news', is_public: true, trackers: Tracker.all)
puts Token.create!(user: User.find_by(admin: true), action: 'api').value
